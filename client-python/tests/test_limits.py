"""The limit of a key, in simulated time."""

from __future__ import annotations

from collections import Counter

import pytest
from answers import Service, instant, problem
from simulation import LOST, START, Job, Reply, Simulation

from market_data_client._core import STATUS, TICKERS, TIME, Core
from market_data_client.errors import RateLimitExceededProblem, TimeoutFailure, TransportFailure


def spawn_calls(service: Service, core: Core, count: int, deadline: float | None = None) -> list[Job[object]]:
    return [service.simulation.spawn(core, lambda waker: core.get(STATUS, deadline, None, waker)) for _ in range(count)]


def per_minute(service: Service) -> list[int]:
    return list(Counter(int(asked.at // 60) for asked in service.simulation.asked).values())


def test_many_callers_of_several_clients_together_never_pass_it() -> None:
    service = Service(limit=20)
    cores = [service.simulation.core(deadline=300.0), service.simulation.core(deadline=300.0)]
    jobs = spawn_calls(service, cores[0], 35) + spawn_calls(service, cores[1], 15)
    for job in jobs:
        service.simulation.until(job)
    assert 429 not in service.simulation.statuses()
    assert max(per_minute(service)) <= 20
    assert len(per_minute(service)) == 3


def test_a_used_up_limit_is_waited_for_to_its_end_and_no_more_than_a_second_past_it() -> None:
    service = Service(limit=5)
    core = service.simulation.core(deadline=120.0)
    service.simulation.pass_time(20)
    for _ in range(7):
        service.simulation.until(service.simulation.spawn(core, lambda waker: core.get(TICKERS, None, None, waker)))
    late = [asked.at - 60 for asked in service.simulation.asked if asked.at >= 60]
    assert len(late) >= 2
    assert all(seconds < 1 for seconds in late)
    assert 429 not in service.simulation.statuses()


def test_it_is_learned_with_one_request_before_others_follow() -> None:
    service = Service(limit=3)
    core = service.simulation.core(deadline=300.0)
    for job in spawn_calls(service, core, 8):
        service.simulation.until(job)
    assert 429 not in service.simulation.statuses()


def test_requests_of_somebody_else_are_noticed_from_the_headers() -> None:
    service = Service(limit=10)
    core = service.simulation.core()
    for _ in range(2):
        service.simulation.until(spawn_calls(service, core, 1)[0])
        service.spend(8)
    service.simulation.until(spawn_calls(service, core, 1)[0])
    assert service.simulation.asked[-1].at >= 60


def test_a_refusal_keeps_every_caller_away_for_retry_after() -> None:
    service = Service(limit=10)
    core = service.simulation.core()
    service.simulation.until(spawn_calls(service, core, 1)[0])
    service.spend(9)
    jobs = spawn_calls(service, core, 4)
    service.simulation.pass_time(5)
    for job in [*jobs, *spawn_calls(service, core, 1)]:
        service.simulation.until(job)
    refused = [asked.at for asked in service.simulation.asked if asked.status == 429]
    assert 1 <= len(refused) <= 4
    assert all(asked.at <= refused[-1] or asked.at >= 60 for asked in service.simulation.asked)


@pytest.mark.parametrize(("into", "known"), [(0, True), (37, True), (37, False)])
def test_a_refusal_without_retry_after_is_waited_for_to_the_reset(into: float, known: bool) -> None:
    service = Service(limit=60, offset=-86_400.0)
    core = service.simulation.core()
    service.simulation.pass_time(into)
    if known:
        service.simulation.until(spawn_calls(service, core, 1)[0])
    minute = int(service.now // 60)
    limits = {"X_RateLimit_Limit": "60", "X_RateLimit_Remaining": "0", "X_RateLimit_Reset": str((minute + 1) * 60)}
    service.broken["/v1/status"] = problem(429, "RATE_LIMIT_EXCEEDED", **limits)
    job = spawn_calls(service, core, 1)[0]
    service.simulation.pass_time(1)
    del service.broken["/v1/status"]
    service.simulation.until(job)
    last = service.simulation.asked[-1].at
    assert last >= 60, "not before the end of the minute"
    assert last < 62 or not known


def test_a_limit_that_cannot_be_waited_for_within_the_deadline_fails_the_call_at_once() -> None:
    service = Service(limit=2)
    core = service.simulation.core(deadline=10.0)
    for job in spawn_calls(service, core, 2):
        service.simulation.until(job)
    with pytest.raises(TimeoutFailure) as raised:
        service.simulation.until(spawn_calls(service, core, 1)[0])
    assert raised.value.limit == "deadline"
    assert raised.value.retry_after is not None
    assert 59 < raised.value.retry_after <= 60.1
    assert len(service.simulation.asked) == 2


def test_it_is_left_to_the_server_when_the_client_is_told_not_to_wait() -> None:
    service = Service(limit=2)
    core = service.simulation.core(wait_for_limit=False, max_attempts=1)
    jobs = spawn_calls(service, core, 4)
    service.simulation.pass_time(1)
    errors = [job.error for job in jobs if job.error is not None]
    assert [type(error) for error in errors] == [RateLimitExceededProblem] * 2


def test_a_caller_that_is_cancelled_while_it_waits_leaves_the_others_their_turn() -> None:
    service = Service(limit=2)
    core = service.simulation.core()
    for job in spawn_calls(service, core, 2):
        service.simulation.until(job)
    waiting, following = spawn_calls(service, core, 2)
    service.simulation.pass_time(1)
    waiting.cancel()
    assert isinstance(waiting.error, KeyboardInterrupt)
    service.simulation.until(following)


def test_headers_of_a_refused_key_change_nothing_and_a_server_without_any_is_not_held_back() -> None:
    limits = {"X_RateLimit_Limit": "10", "X_RateLimit_Remaining": "0", "X_RateLimit_Reset": str(int(START) + 60)}
    replies = [problem(401, "INVALID_API_KEY", **limits)]
    simulation = Simulation(lambda path, etag: replies.pop() if replies else Reply(200, instant("serverTime", START)))
    core = simulation.core()
    refused = simulation.spawn(core, lambda waker: core.get(TIME, None, None, waker))
    simulation.pass_time(1)
    assert refused.error is not None
    jobs = [simulation.spawn(core, lambda waker: core.get(TIME, None, None, waker)) for _ in range(80)]
    simulation.pass_time(1)
    assert all(job.is_done and job.error is None for job in jobs)


def test_a_request_whose_answer_was_lost_counts_as_spent() -> None:
    limits = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "2", "X-RateLimit-Reset": str(int(START) + 60)}
    replies = [Reply(200, instant("serverTime", START), limits)]
    simulation = Simulation(lambda path, etag: replies.pop() if replies else LOST)
    core = simulation.core(max_attempts=1, deadline=5.0)
    simulation.until(simulation.spawn(core, lambda waker: core.get(TIME, None, None, waker)))
    errors: list[type] = []
    for _ in range(3):
        job = simulation.spawn(core, lambda waker: core.get(TIME, None, None, waker))
        simulation.pass_time(0.5)
        errors.append(type(job.error))
    assert errors == [TransportFailure, TransportFailure, TimeoutFailure]


def test_what_is_left_can_be_read_and_is_full_again_in_the_next_minute() -> None:
    service = Service(limit=10)
    core = service.simulation.core()
    assert core.left is None
    for _ in range(3):
        service.simulation.until(spawn_calls(service, core, 1)[0])
    assert core.left is not None
    assert (core.left.limit, core.left.remaining, core.left.reset.timestamp()) == (10, 7, START + 60)
    service.simulation.pass_time(61)
    assert (core.left.remaining, core.left.reset.timestamp()) == (10, START + 120)
