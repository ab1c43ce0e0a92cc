import { h, render } from 'preact';
import { resumeSession } from './api/client.ts';
import { App } from './shell/app.ts';

const root = document.querySelector('#console');
if (root !== null) {
  root.textContent = '';
  render(h(App, null), root);
  void resumeSession();
}
