from .errors import problem_classes

former_names = {
    "ApiError": "ApiProblem",
    "InternalServerError": "InternalErrorProblem",
    "Limit": "LimitFigures",
    "MalformedAnswerError": "MalformedAnswer",
    "MarketDataError": "MarketDataFailure",
    "RequestInfo": "RequestEvent",
    "ResponseInfo": "ResponseEvent",
    "RetryInfo": "RetryEvent",
    "TimedOutError": "TimeoutFailure",
    "TransportError": "TransportFailure",
    "error_classes": "problem_classes",
    **{
        one.__name__.replace("Problem", "Error"): one.__name__
        for one in problem_classes.values()
        if one.__name__ != "InternalErrorProblem"
    },
}
"""What the names of 1.0 became when both clients got the same ones."""
