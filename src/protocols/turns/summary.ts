/** The result of a turn: its text and calls, its token usage, and whether it has ended or waits. */
import type { PresentedRun } from '../../runs/present.ts'
import { left, type PendingCall, type TurnEvent } from './events.ts'

/** Kinds of calls that end without the client of the turn. */
export const endsByItself: ReadonlySet<string> = new Set(['agentRun', 'worker', 'operation', 'workflow'])

/** Kinds of calls that the user of a chat can answer. */
const answeredByUser: ReadonlySet<string> = new Set(['tool', 'approval'])

export interface Saying {
  stepId: number
  text: string
  isWhole: boolean
}

interface Usage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  cachedInputTokens: number
  reasoningTokens: number
}

export class TurnSummary {
  /** Texts of the model, in order; those of failed steps are omitted. */
  readonly sayings: Saying[] = []
  readonly usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }
  /** The calls that the run waits for; empty while it does not wait. */
  pending: readonly PendingCall[] = []
  /** When it began to ask, or to go on after that; undefined: it has not asked yet. */
  since: string | undefined
  /** Set once the turn has ended. */
  ended: { run: PresentedRun; output: unknown } | undefined

  add(event: TurnEvent): void {
    const { isAsking } = this
    this.#take(event)
    if (this.isAsking !== isAsking) this.since = event.at
  }

  #take(event: TurnEvent): void {
    switch (event.type) {
      case 'text':
        this.#sayingOf(event.stepId).text += event.text
        break
      case 'modelEnded': {
        if (event.text !== '') Object.assign(this.#sayingOf(event.stepId), { text: event.text, isWhole: true })
        for (const name of Object.keys(this.usage) as (keyof Usage)[]) this.usage[name] += event.usage[name]
        break
      }
      case 'modelFailed': {
        const index = this.sayings.findIndex(({ stepId }) => stepId === event.stepId)
        if (index !== -1) this.sayings.splice(index, 1)
        break
      }
      case 'waiting':
        this.pending = event.pending
        break
      case 'resumed':
      case 'modelStarted':
      case 'toolStarted':
        this.pending = []
        break
      case 'toolEnded':
      case 'delegateToolEnded':
        this.pending = left(this.pending, event)
        break
      case 'ended':
        this.pending = []
        this.ended = event
        break
    }
  }

  /** All texts, joined. */
  get text(): string {
    return this.sayings.map(({ text }) => text).join('\n\n')
  }

  /** The calls that the client of the turn must answer; empty unless the run waits only for these. */
  get callsOfClient(): readonly PendingCall[] {
    return this.pending.every(({ kind }) => kind === 'tool') ? this.pending : []
  }

  /** Whether the run waits, and no call is left that ends by itself: an answer now would break it off. */
  get isAsking(): boolean {
    return this.pending.length > 0 && !this.pending.some(({ kind }) => endsByItself.has(kind))
  }

  /** Whether it is the user's turn: this one has ended, or asks for what the user can answer. */
  get isUsersTurn(): boolean {
    return this.ended !== undefined || (this.isAsking && this.pending.some(({ kind }) => answeredByUser.has(kind)))
  }

  #sayingOf(stepId: number): Saying {
    const last = this.sayings.at(-1)
    if (last?.stepId === stepId) return last
    const saying = { stepId, text: '', isWhole: false }
    this.sayings.push(saying)
    return saying
  }
}
