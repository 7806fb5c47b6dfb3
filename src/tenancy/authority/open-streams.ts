/**
 * The open streams of this process: counted by credential and organization, and revoked when their authority ends.
 * Credentials are revalidated with one look-up for all streams of one: after an announced change, at the credential's end,
 * and every one and a half seconds. Only if the answer differs is each stream checked. Source: contract 1, end of "Session".
 */

import {
  ApiError,
  endedCredential,
  notFound,
  quotaExceeded,
  tooManyStreams,
} from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Hold, OpenStream, StreamRegister } from '../../platform/http/guard/open-stream.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { slices } from '../../platform/time/next-turn.ts'
import type { Answer } from './answers.ts'
import type { Change, Revocations } from './revocations.ts'

/** Two seconds in total, with the time that revalidation takes. */
const askEveryMs = 1_500
/** The largest share of time spent on revalidation: with very many credentials it runs less often. */
const askedShare = 1 / 3
/** The pause after revalidation, as a multiple of its time, so that changes in a loop cost other requests little. */
const restRatio = 10
const restMsMax = 400

export interface OpenStreamsParts {
  clock: Pick<Clock, 'now' | 'after'>
  revocations: Pick<Revocations, 'listen'>
  /** The caller with this credential now; undefined if it has ended. Throws as authentication does. */
  again(caller: Caller): Promise<Answer<Caller> | undefined>
  /** Per credential; 0 is unlimited. */
  ofCredentialMax: number
  /** Per organization; null is unlimited. */
  ofOrganizationMax(organizationId: string): number | null | Promise<number | null>
  /** Called when the authority of a credential has changed or ended. */
  onChange(change: Change): void
  /** Called when streams could not be revalidated. */
  onError(error: unknown, what: string): void
}

interface Held extends OpenStream {
  admits(caller: Caller): void | Promise<void>
  /** To be checked even if the credential's authority is unchanged. */
  isDoubtful: boolean
}

/** A credential in one organization, with its streams. */
interface Holder {
  caller: Caller
  /** The end of the credential, epoch milliseconds; unknown until it is first revalidated. */
  endsAt: number
  streams: Set<Held>
}

/** Whether the guard or the route refused. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && [401, 403, 404].includes(error.status)

export class OpenStreams implements StreamRegister {
  readonly #parts: OpenStreamsParts
  readonly #holders = new Map<string, Holder>()
  readonly #ofCredential = new Map<string, number>()
  readonly #ofOrganization = new Map<string, number>()
  #due = new Set<Holder>()
  #asking = false
  /** From `performance.now()`. */
  #restsUntil = 0
  /** The duration of the last revalidation. */
  #tookMs = 0
  #timer: { at: number; cancel(): void } | undefined

  constructor(parts: OpenStreamsParts) {
    this.#parts = parts
    parts.revocations.listen((change) => this.#hear(change))
  }

  async hold(caller: Caller, admits: Held['admits'], stream: OpenStream): Promise<Hold> {
    const { organizationId, credentialId } = caller
    const { ofCredentialMax } = this.#parts
    const limit = await this.#parts.ofOrganizationMax(organizationId)
    // no await between check and count
    if (ofCredentialMax > 0 && countIn(this.#ofCredential, credentialId) >= ofCredentialMax) {
      throw tooManyStreams(ofCredentialMax)
    }
    if (limit !== null && countIn(this.#ofOrganization, organizationId) >= limit)
      throw quotaExceeded('openStreams', limit)
    const key = `${credentialId}\n${organizationId}`
    const known = this.#holders.get(key)
    const holder = known ?? { caller, endsAt: Number.POSITIVE_INFINITY, streams: new Set<Held>() }
    // the cached answer that admitted it may be outdated
    const isDoubtful = !isSameAuthority(holder.caller, caller)
    const held: Held = { ...bound(stream), admits, isDoubtful }
    if (!known) this.#holders.set(key, holder)
    holder.streams.add(held)
    add(this.#ofCredential, credentialId, 1)
    add(this.#ofOrganization, organizationId, 1)
    if (isDoubtful) this.#askAbout(holder)
    this.#watch()
    return { release: () => this.#release(key, holder, held) }
  }

  /** The open streams of the organization. */
  openOf(organizationId: string): number {
    return countIn(this.#ofOrganization, organizationId)
  }

  /** Open streams, and credentials with open streams. */
  get statistics() {
    let streams = 0
    for (const holder of this.#holders.values()) streams += holder.streams.size
    return { streams, holders: this.#holders.size }
  }

  /** Stops revalidation. */
  close(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#due.clear()
  }

  #release(key: string, holder: Holder, held: Held): void {
    if (!holder.streams.delete(held)) return
    add(this.#ofCredential, holder.caller.credentialId, -1)
    add(this.#ofOrganization, holder.caller.organizationId, -1)
    if (holder.streams.size > 0) return
    this.#holders.delete(key)
    this.#due.delete(holder)
    if (this.#holders.size === 0) this.close()
  }

  #hear({ organizationId, userId, credentialId, removed }: Change): void {
    const isAnything = organizationId === undefined && userId === undefined && credentialId === undefined
    for (const holder of this.#holders.values()) {
      const { caller, streams } = holder
      const touched =
        (organizationId === undefined || caller.organizationId === organizationId) &&
        (userId === undefined || caller.userId === userId) &&
        (credentialId === undefined || caller.credentialId === credentialId)
      if (!touched) continue
      if (removed || isAnything) for (const stream of streams) stream.isDoubtful = true
      this.#askAbout(holder)
    }
  }

  #watch(): void {
    if (this.#timer || this.#holders.size === 0) return
    const now = this.#parts.clock.now()
    let at = now + Math.max(askEveryMs, this.#tookMs / askedShare)
    for (const { endsAt } of this.#holders.values()) at = Math.min(at, Math.max(now, endsAt))
    this.#wakeAt(at, now)
  }

  #wakeAt(at: number, now: number): void {
    this.#timer?.cancel()
    const { cancel } = this.#parts.clock.after(at - now, () => {
      this.#timer = undefined
      for (const holder of this.#holders.values()) this.#askAbout(holder)
      this.#watch()
    })
    this.#timer = { at, cancel }
  }

  #askAbout(holder: Holder): void {
    this.#due.add(holder)
    if (!this.#asking) void this.#askAll()
  }

  async #askAll(): Promise<void> {
    this.#asking = true
    try {
      while (this.#due.size > 0) {
        const restMs = this.#restsUntil - performance.now()
        if (restMs > 0) await Bun.sleep(restMs)
        const due = this.#due
        this.#due = new Set()
        const began = performance.now()
        const turn = slices()
        for (const holder of due) {
          await this.#ask(holder, turn)
          await turn()
        }
        this.#tookMs = performance.now() - began
        this.#restsUntil = performance.now() + Math.min(restMsMax, restRatio * this.#tookMs)
      }
    } finally {
      this.#asking = false
    }
  }

  async #ask(holder: Holder, turn: () => Promise<void>): Promise<void> {
    if (holder.streams.size === 0) return
    let answer: Answer<Caller> | undefined
    let refusal = endedCredential(holder.caller.principal)
    try {
      answer = await this.#parts.again(holder.caller)
    } catch (error) {
      // An unavailable store is asked again. Meanwhile neither revocations nor events can be stored.
      if (!isRefusal(error)) return this.#parts.onError(error, 'asking about the credential of open streams')
      refusal = error
    }
    const isSame = answer !== undefined && isSameAuthority(holder.caller, answer.known)
    if (!isSame) this.#parts.onChange({ credentialId: holder.caller.credentialId })
    if (!answer || answer.endsAt <= this.#parts.clock.now()) {
      for (const stream of [...holder.streams]) this.#revoke(holder, stream, refusal)
      return
    }
    holder.caller = answer.known
    holder.endsAt = answer.endsAt
    if (this.#timer && answer.endsAt < this.#timer.at) this.#wakeAt(answer.endsAt, this.#parts.clock.now())
    for (const stream of [...holder.streams]) {
      if (isSame && !stream.isDoubtful) continue
      await this.#askStream(holder, stream)
      await turn()
    }
  }

  async #askStream(holder: Holder, stream: Held): Promise<void> {
    stream.isDoubtful = false
    let refusal = notFound()
    try {
      await stream.admits(holder.caller)
      if (await stream.isVisible(holder.caller)) return
    } catch (error) {
      if (!isRefusal(error)) {
        stream.isDoubtful = true
        return this.#parts.onError(error, 'asking about an open stream')
      }
      refusal = error
    }
    this.#revoke(holder, stream, refusal)
  }

  #revoke(holder: Holder, stream: Held, refusal: ApiError): void {
    // it may have ended meanwhile
    if (holder.streams.has(stream)) stream.revoke(refusal)
  }
}

/** Spreading an object loses its methods, so they are named. */
const bound = (stream: OpenStream): OpenStream => ({
  isVisible: (caller) => stream.isVisible(caller),
  revoke: (refusal) => stream.revoke(refusal),
})

const countIn = (counts: ReadonlyMap<string, number>, key: string): number => counts.get(key) ?? 0

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = countIn(counts, key) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => {
  if (one === other) return true
  if (one.size !== other.size) return false
  for (const each of one) if (!other.has(each)) return false
  return true
}

/** Whether both have the same authority. */
function isSameAuthority(one: Caller, other: Caller): boolean {
  if (one === other) return true
  if (one.role !== other.role || one.organization.status !== other.organization.status) return false
  if (one.granted.size !== other.granted.size || !isSameSet(one.permissions, other.permissions)) return false
  for (const [projectId, granted] of one.granted) {
    const others = other.granted.get(projectId)
    if (!others || !isSameSet(granted, others)) return false
  }
  const { projectId, environmentId, agentId } = one.scope
  const { scope } = other
  return projectId === scope.projectId && environmentId === scope.environmentId && agentId === scope.agentId
}
