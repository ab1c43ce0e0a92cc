import org.openapitools.client.apis.DescriptionApi
import org.openapitools.client.apis.MarketsApi
import org.openapitools.client.apis.ServiceApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Response
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.infrastructure.ServerError
import org.openapitools.client.infrastructure.ServerException
import org.openapitools.client.models.Problem

private val json = Serializer.moshi.adapter(Any::class.java)

/** Asks what standard input says, one line a request, through the client that openapi-generator made. README.md has the protocol. */
fun main(arguments: Array<String>) {
    for (line in generateSequence(::readLine)) {
        val (operation, key, symbol) = "$line ".split(" ")
        if (key == "-") ApiClient.apiKey.clear() else ApiClient.apiKey["X-EXCHANGE-APIKEY"] = key
        println(json.toJson(said { values(arguments[0], operation, symbol) }))
        System.out.flush()
    }
}

private fun said(values: () -> List<String>): Map<String, Any> = try {
    mapOf("status" to 200, "values" to values())
} catch (failure: ClientException) {
    problem(failure.statusCode, failure.response)
} catch (failure: ServerException) {
    problem(failure.statusCode, failure.response)
} catch (failure: Exception) {
    mapOf("broken" to failure.toString())
}

private fun problem(status: Int, response: Response?): Map<String, Any> {
    val body = (response as? ClientError<*>)?.body ?: (response as? ServerError<*>)?.body
    val problem = Serializer.moshi.adapter(Problem::class.java).fromJson(body.toString())!!
    return mapOf("status" to status, "code" to problem.code)
}

private fun values(baseUrl: String, operation: String, symbol: String): List<String> {
    val service = ServiceApi(baseUrl)
    val markets = MarketsApi(baseUrl)
    val description = DescriptionApi(baseUrl)
    return when (operation) {
        "getServerTime" -> service.getServerTime().let {
            listOf("${it.serverTime.toInstant().toEpochMilli()}", "${it.serverTimeMs}")
        }
        "getServiceStatus" -> service.getServiceStatus().let {
            listOf(it.status, it.api, it.components.ticker, it.maintenance?.description ?: "-", "${it.lastUpdatedAtMs ?: "-"}")
        }
        "listMarkets" -> markets.listMarkets().markets.map { "${it.symbol} ${it.status} ${it.minOrderValue ?: "-"}" }
        "getTicker" -> markets.getTicker(symbol).let {
            listOf(it.symbol, it.buyPrice, it.vwap24h ?: "-", "${it.timestamp.toInstant().toEpochMilli()}")
        }
        "listTickers" -> markets.listTickers().tickers.map { "${it.symbol} ${it.buyPrice}" }
        "getOpenApi" -> listOf(description.getOpenApi().openapi)
        "getRoot" -> listOf(description.getRoot().name)
        else -> throw IllegalArgumentException(operation)
    }
}
