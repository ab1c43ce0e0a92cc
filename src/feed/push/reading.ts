import { Compile } from 'typebox/compile';
import { asObject } from '../wire.ts';
import { type EngineMessage, engineMessages, type PushErrorCode } from './messages.ts';

/** A frame that is not taken. The message is for whoever wrote the engine. */
export interface Refusal {
  readonly code: PushErrorCode;
  readonly message: string;
}

const validators = new Map(Object.entries(engineMessages).map(([type, schema]) => [type, Compile(schema)]));

/** Reads one frame. What is wrong is named by field. */
export function readMessage(text: string): EngineMessage | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: 'MALFORMED', message: 'The frame is not JSON.' };
  }
  const type = asObject(value)?.type;
  const validator = typeof type === 'string' ? validators.get(type) : undefined;
  if (validator === undefined) {
    return { code: 'MALFORMED', message: `type: must be one of ${[...validators.keys()].join(', ')}.` };
  }
  if (validator.Check(value)) return value as EngineMessage;
  return { code: 'INVALID_MESSAGE', message: faultOf(validator.Errors(value) as unknown as readonly Fault[]) };
}

export function isRefusal(read: EngineMessage | Refusal): read is Refusal {
  return 'code' in read;
}

interface Fault {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: {
    readonly additionalProperties?: readonly string[];
    readonly requiredProperties?: readonly string[];
  };
  readonly message: string;
}

/** The first fault, by the name of its field: `markets.3.tickSize: …`. */
function faultOf(faults: readonly Fault[]): string {
  // A name that is not known is said twice, once as a schema that nothing satisfies.
  const fault = faults.find(({ keyword }) => keyword !== 'boolean');
  const { instancePath = '', params = {}, message = 'is not valid' } = fault ?? {};
  const within = instancePath.slice(1).replaceAll('/', '.');
  const field = (name: string) => (within === '' ? name : `${within}.${name}`);
  const [missing] = params.requiredProperties ?? [];
  if (missing !== undefined) return `${field(missing)}: is missing.`;
  const [unknown] = params.additionalProperties ?? [];
  if (unknown !== undefined) return `${field(unknown)}: is not known.`;
  return `${within === '' ? 'The message' : `${within}:`} ${message}.`;
}
