/** Of this package, as the service sees it in `User-Agent`. */
export const version = '1.1.0';
