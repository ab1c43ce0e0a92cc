// Asks what standard input says, one line a request, through the client that oapi-codegen made. README.md has the protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strconv"
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
	lines := bufio.NewScanner(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		words := append(strings.Split(lines.Text(), " "), "")
		answers.Encode(ask(words[0], words[1], words[2]))
	}
}

func ask(operation, key, symbol string) outcome {
	ctx := context.Background()
	client, err := mdapi.NewClientWithResponses(os.Args[1], mdapi.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			if key != "-" {
				request.Header.Set("X-EXCHANGE-APIKEY", key)
			}
			return nil
		}))
	if err != nil {
		return outcome{Broken: err.Error()}
	}
	switch operation {
	case "getServerTime":
		answer, err := client.GetServerTimeWithResponse(ctx)
		return read(answer, err, func() []string {
			time := answer.JSON200
			return []string{fmt.Sprint(time.ServerTime.UnixMilli()), fmt.Sprint(time.ServerTimeMs)}
		})
	case "getServiceStatus":
		answer, err := client.GetServiceStatusWithResponse(ctx)
		return read(answer, err, func() []string { return statusValues(answer.JSON200) })
	case "listMarkets":
		answer, err := client.ListMarketsWithResponse(ctx, nil)
		return read(answer, err, func() (values []string) {
			for _, market := range answer.JSON200.Markets {
				values = append(values, fmt.Sprint(market.Symbol, " ", market.Status, " ", given(market.MinOrderValue)))
			}
			return
		})
	case "getTicker":
		answer, err := client.GetTickerWithResponse(ctx, &mdapi.GetTickerParams{Symbol: symbol})
		return read(answer, err, func() []string {
			ticker := answer.JSON200
			return []string{ticker.Symbol, ticker.BuyPrice, given(ticker.Vwap24h), fmt.Sprint(ticker.Timestamp.UnixMilli())}
		})
	case "listTickers":
		answer, err := client.ListTickersWithResponse(ctx, nil)
		return read(answer, err, func() (values []string) {
			for _, ticker := range answer.JSON200.Tickers {
				values = append(values, ticker.Symbol+" "+ticker.BuyPrice)
			}
			return
		})
	case "getOpenApi":
		answer, err := client.GetOpenApiWithResponse(ctx, nil)
		return read(answer, err, func() []string { return []string{answer.JSON200.Openapi} })
	case "getRoot":
		answer, err := client.GetRootWithResponse(ctx, nil)
		return read(answer, err, func() []string { return []string{answer.JSON200.Name} })
	}
	return outcome{Broken: "no operation " + operation}
}

func statusValues(status *mdapi.ServiceStatus) []string {
	window, updated := "-", "-"
	if status.Maintenance != nil {
		window = status.Maintenance.Description
	}
	if status.LastUpdatedAtMs != nil {
		updated = fmt.Sprint(*status.LastUpdatedAtMs)
	}
	return []string{string(status.Status), string(status.Api), string(status.Components.Ticker), window, updated}
}

func given(value *string) string {
	if value == nil {
		return "-"
	}
	return *value
}

// The typed problem is in a field of its own for each status, and in one for all others.
func read(answer interface{ StatusCode() int }, err error, values func() []string) outcome {
	if err != nil {
		return outcome{Broken: err.Error()}
	}
	status := answer.StatusCode()
	if status == http.StatusOK {
		return outcome{Status: status, Values: values()}
	}
	fields := reflect.ValueOf(answer).Elem()
	problem := fields.FieldByName("ApplicationproblemJSON" + strconv.Itoa(status))
	if !problem.IsValid() {
		problem = fields.FieldByName("ApplicationproblemJSONDefault")
	}
	if !problem.IsValid() || problem.IsNil() {
		return outcome{Broken: "no typed problem for " + strconv.Itoa(status)}
	}
	return outcome{Status: status, Code: problem.Elem().FieldByName("Code").String()}
}
