/** The channel on which the schema's triggers tell that something changed (`NOTIFY`). What changed stands in the tables. */
export const changeChannel = 'mdapi_changes';
