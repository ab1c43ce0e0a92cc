/** The name of the environment, from the band above every page. */
const environment = document.querySelector('.environment')?.textContent;

/** Gives the window its title, with the environment first: of many tabs no more can be seen. */
export function showTitle(title: string): void {
  const whole = `${title} · Market Data API`;
  document.title = environment ? `[${environment}] ${whole}` : whole;
}
