/** The context of a command, besides its arguments. */
import { Troupe } from '../sdk/src/index.ts'
import { type Access, type AccessOptions, accessOf } from './settings/access.ts'
import type { Interruption } from './terminal/interruption.ts'
import { Output } from './terminal/output.ts'

/** Options that every command has. */
export interface CommonOptions extends AccessOptions {
  json?: boolean
  /** Seconds. */
  timeout?: number
}

/** A short outage of the server is bridged, but a person does not wait long. */
const maxRetries = 2
const maxRetryAfterMs = 10_000

export class Context {
  readonly output: Output
  #access: Access | undefined
  #url: string | undefined

  constructor(
    private readonly options: CommonOptions,
    readonly interruption: Interruption,
  ) {
    this.output = new Output(options.json === true)
  }

  get signal(): AbortSignal {
    return this.interruption.signal
  }

  /** The server and the key. Throws if there is no sign-in. */
  get access(): Access {
    this.#access ??= accessOf(this.options)
    return this.#access
  }

  /** The address for messages, if it is known. */
  get url(): string | undefined {
    return this.#url ?? this.#access?.url
  }

  /** A client of the server; without a key it can only use operations that need none. */
  client({ url, key }: { url: string; key: string | null } = this.access): Troupe {
    this.#url = url
    const { signal } = this
    return new Troupe({
      baseUrl: url,
      apiKey: key,
      maxRetries,
      maxRetryAfterMs,
      // Ctrl-C aborts every request
      fetch: (address, init) =>
        fetch(address, { ...init, signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal }),
    })
  }
}
