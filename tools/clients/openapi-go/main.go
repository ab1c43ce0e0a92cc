// Asks what standard input says, one line a request, through the client that openapi-generator made. README.md has the protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"generated-clients/mdapi"
)

type outcome struct {
	Status int      `json:"status,omitempty"`
	Values []string `json:"values,omitempty"`
	Code   string   `json:"code,omitempty"`
	Broken string   `json:"broken,omitempty"`
}

func main() {
	configuration := mdapi.NewConfiguration()
	configuration.Servers = mdapi.ServerConfigurations{{URL: os.Args[1]}}
	client := mdapi.NewAPIClient(configuration)
	lines := bufio.NewScanner(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		words := append(strings.Split(lines.Text(), " "), "")
		answers.Encode(ask(client, words[0], words[1], words[2]))
	}
}

func ask(client *mdapi.APIClient, operation, key, symbol string) outcome {
	ctx := context.Background()
	if key != "-" {
		ctx = context.WithValue(ctx, mdapi.ContextAPIKeys, map[string]mdapi.APIKey{"apiKey": {Key: key}})
	}
	switch operation {
	case "getServerTime":
		return read(client.ServiceAPI.GetServerTime(ctx).Execute())(func(time *mdapi.ServerTime) []string {
			return []string{fmt.Sprint(time.ServerTime.UnixMilli()), fmt.Sprint(time.ServerTimeMs)}
		})
	case "getServiceStatus":
		return read(client.ServiceAPI.GetServiceStatus(ctx).Execute())(statusValues)
	case "listMarkets":
		return read(client.MarketsAPI.ListMarkets(ctx).Execute())(func(body *mdapi.MarketList) (values []string) {
			for _, market := range body.Markets {
				values = append(values, fmt.Sprint(market.Symbol, " ", market.Status, " ", given(market.MinOrderValue)))
			}
			return
		})
	case "getTicker":
		return read(client.MarketsAPI.GetTicker(ctx).Symbol(symbol).Execute())(func(ticker *mdapi.Ticker) []string {
			return []string{ticker.Symbol, ticker.BuyPrice, given(ticker.Vwap24h), fmt.Sprint(ticker.Timestamp.UnixMilli())}
		})
	case "listTickers":
		return read(client.MarketsAPI.ListTickers(ctx).Execute())(func(body *mdapi.TickerList) (values []string) {
			for _, ticker := range body.Tickers {
				values = append(values, ticker.Symbol+" "+ticker.BuyPrice)
			}
			return
		})
	case "getOpenApi":
		return read(client.DescriptionAPI.GetOpenApi(ctx).Execute())(func(body *mdapi.OpenApiDocument) []string {
			return []string{body.Openapi}
		})
	case "getRoot":
		return read(client.DescriptionAPI.GetRoot(ctx).Execute())(func(body *mdapi.RootDocument) []string {
			return []string{body.Name}
		})
	}
	return outcome{Broken: "no operation " + operation}
}

func statusValues(status *mdapi.ServiceStatus) []string {
	window, updated := "-", "-"
	if running := status.Maintenance.Get(); running != nil {
		window = running.Description
	}
	if instant := status.LastUpdatedAtMs.Get(); instant != nil {
		updated = fmt.Sprint(*instant)
	}
	return []string{status.Status, status.Api, status.Components.Ticker, window, updated}
}

func given(value *string) string {
	if value == nil {
		return "-"
	}
	return *value
}

func read[Body any](body *Body, response *http.Response, err error) func(func(*Body) []string) outcome {
	return func(values func(*Body) []string) outcome {
		if err == nil {
			return outcome{Status: response.StatusCode, Values: values(body)}
		}
		var failure *mdapi.GenericOpenAPIError
		if errors.As(err, &failure) {
			if problem, ok := failure.Model().(mdapi.Problem); ok {
				return outcome{Status: response.StatusCode, Code: problem.Code}
			}
		}
		return outcome{Broken: err.Error()}
	}
}
