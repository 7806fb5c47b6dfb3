/** Groups streamed text for the clients that watch a run. Source: contract 5, "Stream". */
import type { Clock } from '../../platform/time/clock.ts'
import type { StepDelta } from './protocol/protocol.ts'

const everyMs = 25
const charactersMax = 2_048
/** After this many characters a stream yields and waits for the server to catch up. */
const breathCharacters = 65_536

/** One timer for the streams of all attempts; it runs only while text is held back. */
export class DeltaPace {
  readonly #waiting = new Set<DeltaStream>()
  #armed = false

  constructor(private readonly clock: Clock) {}

  add(stream: DeltaStream): void {
    this.#waiting.add(stream)
    if (this.#armed) return
    this.#armed = true
    this.clock.after(everyMs, () => {
      this.#armed = false
      const streams = [...this.#waiting]
      this.#waiting.clear()
      for (const waiting of streams) waiting.flush()
    })
  }

  remove(stream: DeltaStream): void {
    this.#waiting.delete(stream)
  }
}

type Kind = StepDelta['data']['kind']
type CallOfInput = Pick<Extract<StepDelta['data'], { kind: 'toolInput' }>, 'toolCallId' | 'toolName'>

export class DeltaStream {
  #held: StepDelta[] = []
  #heldCharacters = 0
  #sinceBreath = 0
  #sending: Promise<void> | null = null
  #closed = false

  constructor(
    private readonly agentStepId: number,
    private readonly pace: DeltaPace,
    private readonly send: (deltas: StepDelta[]) => Promise<unknown>,
  ) {}

  /** Adds text; tool input comes with its call, and inputs of different calls stay separate. */
  append(kind: Kind, text: string, call?: CallOfInput): void {
    if (this.#closed || text === '') return
    const last = this.#held.at(-1)
    if (last && continues(last.data, kind, call)) last.data.text += text
    else {
      const data = { kind, text, ...call } as StepDelta['data']
      this.#held.push({ type: 'step.delta', agentStepId: this.agentStepId, data })
    }
    if (this.#heldCharacters === 0) this.pace.add(this)
    this.#heldCharacters += text.length
    this.#sinceBreath += text.length
    if (this.#heldCharacters >= charactersMax) this.flush()
  }

  /** Sends the held text, one group at a time: for a slow server the groups grow in size, not in number. */
  flush(): void {
    if (this.#sending || this.#held.length === 0) return
    this.#sending = this.#sendHeld().then(() => {
      this.#sending = null
      if (this.#heldCharacters > 0 && !this.#closed) this.pace.add(this)
    })
  }

  /** null, or a promise to wait for: a fast stream must neither starve others nor outrun the server. */
  pause(): Promise<void> | null {
    if (this.#sinceBreath < breathCharacters) return null
    this.#sinceBreath = 0
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#sending ?? undefined)
  }

  /** Sends the rest at once. Later text is ignored. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#held.length > 0) void this.#sendHeld()
    else this.pace.remove(this)
  }

  #sendHeld(): Promise<unknown> {
    const deltas = this.#held
    this.#held = []
    this.#heldCharacters = 0
    this.pace.remove(this)
    return this.send(deltas)
  }
}

const continues = (last: StepDelta['data'], kind: Kind, call: CallOfInput | undefined) =>
  last.kind === kind && (last.kind !== 'toolInput' || last.toolCallId === call?.toolCallId)
