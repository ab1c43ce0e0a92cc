/** Descriptions of the contract. One that changes is shown in English until it is translated anew. */
export const contractInCzech: Readonly<Record<string, string>> = {};
