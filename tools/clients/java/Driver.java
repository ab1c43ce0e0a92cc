import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.DescriptionApi;
import org.openapitools.client.api.MarketsApi;
import org.openapitools.client.api.ServiceApi;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.ServiceStatus;

/** Asks what standard input says, one line a request, through the client that openapi-generator made. README.md has the protocol. */
public final class Driver {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            var words = (line + " ").split(" ", -1);
            System.out.println(JSON.writeValueAsString(said(arguments[0], words[0], words[1], words[2])));
        }
    }

    private static Map<String, Object> said(String baseUrl, String operation, String key, String symbol) throws Exception {
        var client = new ApiClient();
        client.updateBaseUri(baseUrl);
        if (!key.equals("-")) client.setRequestInterceptor(request -> request.header("X-EXCHANGE-APIKEY", key));
        try {
            return Map.of("status", 200, "values", values(client, operation, symbol));
        } catch (ApiException failure) {
            if (failure.getCode() == 0) return Map.of("broken", failure.toString());
            var problem = client.getObjectMapper().readValue(failure.getResponseBody(), Problem.class);
            return Map.of("status", failure.getCode(), "code", problem.getCode());
        }
    }

    private static List<String> values(ApiClient client, String operation, String symbol) throws ApiException {
        var service = new ServiceApi(client);
        var markets = new MarketsApi(client);
        var description = new DescriptionApi(client);
        switch (operation) {
            case "getServerTime":
                var time = service.getServerTime();
                return List.of("" + time.getServerTime().toInstant().toEpochMilli(), "" + time.getServerTimeMs());
            case "getServiceStatus":
                return statusValues(service.getServiceStatus());
            case "listMarkets":
                return markets.listMarkets(null).getMarkets().stream()
                    .map(each -> each.getSymbol() + " " + each.getStatus() + " " + given(each.getMinOrderValue()))
                    .toList();
            case "getTicker":
                var ticker = markets.getTicker(symbol, null);
                var captured = ticker.getTimestamp().toInstant().toEpochMilli();
                return List.of(ticker.getSymbol(), ticker.getBuyPrice(), given(ticker.getVwap24h()), "" + captured);
            case "listTickers":
                return markets.listTickers(null).getTickers().stream()
                    .map(each -> each.getSymbol() + " " + each.getBuyPrice())
                    .toList();
            case "getOpenApi":
                return List.of(description.getOpenApi(null).getOpenapi());
            case "getRoot":
                return List.of(description.getRoot(null).getName());
            default:
                throw new IllegalArgumentException(operation);
        }
    }

    private static List<String> statusValues(ServiceStatus status) {
        var window = status.getMaintenance() == null ? null : status.getMaintenance().getDescription();
        return List.of(
            status.getStatus(), status.getApi(), status.getComponents().getTicker(), given(window), given(status.getLastUpdatedAtMs()));
    }

    private static String given(Object value) {
        return value == null ? "-" : value.toString();
    }
}
