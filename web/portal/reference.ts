import { armTryIt } from './try-it.ts';

armTryIt();
