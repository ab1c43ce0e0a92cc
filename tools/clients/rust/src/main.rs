//! Asks what standard input says, one line a request, through the client that openapi-generator made. README.md has the protocol.

use openapi::apis::{configuration, description_api, markets_api, service_api, Error};
use openapi::models::ServiceStatus;
use serde::Serialize;
use serde_json::{json, to_value, Value};
use std::fmt::Debug;
use std::io::{self, BufRead};

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let base_path = std::env::args().nth(1).expect("the base URL");
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let key = words[1];
        let configuration = configuration::Configuration {
            base_path: base_path.clone(),
            api_key: (key != "-").then(|| configuration::ApiKey { prefix: None, key: key.to_owned() }),
            ..Default::default()
        };
        let symbol = words.get(2).copied().unwrap_or("");
        println!("{}", runtime.block_on(ask(&configuration, words[0], symbol)));
    }
}

async fn ask(configuration: &configuration::Configuration, operation: &str, symbol: &str) -> Value {
    match operation {
        "getServerTime" => read(service_api::get_server_time(configuration).await, |time| {
            vec![time.server_time.timestamp_millis().to_string(), time.server_time_ms.to_string()]
        }),
        "getServiceStatus" => read(service_api::get_service_status(configuration).await, status_values),
        "listMarkets" => read(markets_api::list_markets(configuration, None).await, |body| {
            let markets = body.markets.into_iter();
            markets.map(|each| format!("{} {} {}", each.symbol, each.status, given(each.min_order_value))).collect()
        }),
        "getTicker" => read(markets_api::get_ticker(configuration, symbol, None).await, |ticker| {
            let captured = ticker.timestamp.timestamp_millis().to_string();
            vec![ticker.symbol, ticker.buy_price, given(ticker.vwap24h), captured]
        }),
        "listTickers" => read(markets_api::list_tickers(configuration, None).await, |body| {
            body.tickers.into_iter().map(|each| format!("{} {}", each.symbol, each.buy_price)).collect()
        }),
        "getOpenApi" => read(description_api::get_open_api(configuration, None).await, |document| vec![document.openapi]),
        "getRoot" => read(description_api::get_root(configuration, None).await, |root| vec![root.name]),
        _ => json!({ "broken": format!("no operation {operation}") }),
    }
}

fn status_values(status: ServiceStatus) -> Vec<String> {
    let window = given(status.maintenance.map(|window| window.description));
    let updated = given(status.last_updated_at_ms.map(|instant| instant.to_string()));
    vec![status.status, status.api, status.components.ticker, window, updated]
}

fn given(value: Option<String>) -> String {
    value.unwrap_or("-".to_owned())
}

fn read<Body, Problem: Serialize + Debug>(
    answer: Result<Body, Error<Problem>>,
    values: impl FnOnce(Body) -> Vec<String>,
) -> Value {
    match answer {
        Ok(body) => json!({ "status": 200, "values": values(body) }),
        Err(Error::ResponseError(response)) => match response.entity {
            Some(problem) if !format!("{problem:?}").starts_with("UnknownValue") => {
                json!({ "status": response.status.as_u16(), "code": to_value(problem).unwrap()["code"] })
            }
            _ => json!({ "broken": format!("no typed problem: {}", response.content) }),
        },
        Err(failure) => json!({ "broken": failure.to_string() }),
    }
}
