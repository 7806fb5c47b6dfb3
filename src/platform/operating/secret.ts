/** A value that never shows itself: not in a log line, not in JSON, not in a template, not in an inspector. */
import { inspect } from 'node:util'

const hidden = '[redacted]'

export class Secret<Value = string> {
  readonly #value: Value

  constructor(value: Value) {
    this.#value = value
  }

  /** The value itself; call it only where it is used. */
  reveal(): Value {
    return this.#value
  }

  toString(): string {
    return hidden
  }

  toJSON(): string {
    return hidden
  }

  [inspect.custom](): string {
    return hidden
  }
}
