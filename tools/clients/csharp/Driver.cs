using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;
using Org.OpenAPITools.Model;

/// <summary>Asks what standard input says, one line a request, through the client that openapi-generator made. README.md has the protocol.</summary>
public static class Driver
{
    public static void Main(string[] arguments)
    {
        for (string line; (line = Console.ReadLine()) != null; )
        {
            var words = (line + " ").Split(' ');
            Console.WriteLine(JsonConvert.SerializeObject(Said(arguments[0], words[0], words[1], words[2])));
        }
    }

    private static object Said(string baseUrl, string operation, string key, string symbol)
    {
        var configuration = new Configuration { BasePath = baseUrl };
        if (key != "-") configuration.ApiKey["X-EXCHANGE-APIKEY"] = key;
        try
        {
            return new { status = 200, values = Values(configuration, operation, symbol) };
        }
        catch (ApiException failure)
        {
            var problem = JsonConvert.DeserializeObject<Problem>(failure.ErrorContent.ToString());
            return new { status = failure.ErrorCode, code = problem.Code };
        }
        catch (Exception failure)
        {
            return new { broken = failure.ToString() };
        }
    }

    private static IEnumerable<string> Values(Configuration configuration, string operation, string symbol)
    {
        using (var service = new ServiceApi(configuration))
        using (var markets = new MarketsApi(configuration))
        using (var description = new DescriptionApi(configuration))
        {
            switch (operation)
            {
                case "getServerTime":
                    var time = service.GetServerTime();
                    return new[] { Milliseconds(time.VarServerTime), time.ServerTimeMs.ToString() };
                case "getServiceStatus":
                    var status = service.GetServiceStatus();
                    var window = status.Maintenance == null ? "-" : status.Maintenance.Description;
                    var updated = status.LastUpdatedAtMs == null ? "-" : status.LastUpdatedAtMs.ToString();
                    return new[] { status.Status, status.Api, status.Components.Ticker, window, updated };
                case "listMarkets":
                    return markets.ListMarkets().Markets.Select(each => $"{each.Symbol} {each.Status} {each.MinOrderValue ?? "-"}");
                case "getTicker":
                    var ticker = markets.GetTicker(symbol);
                    return new[] { ticker.Symbol, ticker.BuyPrice, ticker.Vwap24h ?? "-", Milliseconds(ticker.Timestamp) };
                case "listTickers":
                    return markets.ListTickers().Tickers.Select(each => $"{each.Symbol} {each.BuyPrice}");
                case "getOpenApi":
                    return new[] { description.GetOpenApi().Openapi };
                case "getRoot":
                    return new[] { description.GetRoot().Name };
                default:
                    throw new ArgumentException(operation);
            }
        }
    }

    private static string Milliseconds(DateTime instant)
    {
        return new DateTimeOffset(instant.ToUniversalTime()).ToUnixTimeMilliseconds().ToString();
    }
}
