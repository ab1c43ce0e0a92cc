/** The base URL, and the key of the request to come. */
export const address = { baseUrl: process.argv[2]!, key: '-' };

export async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const headers: Record<string, string> = address.key === '-' ? {} : { 'X-EXCHANGE-APIKEY': address.key };
  const response = await fetch(address.baseUrl + path, { ...init, headers });
  return { status: response.status, data: await response.json(), headers: response.headers } as Answer;
}
