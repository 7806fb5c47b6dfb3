/** A value that is redacted in logs, JSON, templates and inspectors. */
import { inspect } from 'node:util'

const hidden = '[redacted]'

export class Secret<Value = string> {
  readonly #value: Value

  constructor(value: Value) {
    this.#value = value
  }

  /** The value itself; call it only where the value is used. */
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
