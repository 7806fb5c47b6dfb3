/**
 * Streams outlive the request that opened them, so what admitted the request has to hold for as long as they go on. A
 * route with `streaming: true` gets an `Admission`: it counts the stream, asks again what the guard asked, and ends the
 * stream when the answer has become another one. Source: contract 1, end of "Session".
 */

import { timestamp } from '../timestamp.ts'
import type { Caller } from './caller.ts'

/** A stream, as those see it who watch over its authority. */
export interface OpenStream {
  /** Whether the caller may see what the stream tells of. May throw as the route does: 401, 403 and 404 are a no. */
  isVisible(caller: Caller): boolean | Promise<boolean>
  /** Ends the stream with `revokedEvent`. Called at most once, and never after `release`. */
  revoke(): void
}

/** A stream's place among those that are open. */
export interface Hold {
  /** The stream is over, for whatever reason. May be called again. */
  release(): void
}

/** What a streaming route holds on to. */
export interface Admission {
  /**
   * Counts the stream and watches over it until it is released. Throws `too_many_streams` (429) for a credential and
   * `limit_exceeded` (422) for an organization that has as many open as it may.
   */
  hold(stream: OpenStream): Promise<Hold>
}

/** Who watches over streams; `admits` asks again what the guard asked, and throws as it did. */
export interface StreamRegister {
  hold(caller: Caller, admits: (caller: Caller) => void | Promise<void>, stream: OpenStream): Promise<Hold>
}

const unwatched: Hold = { release: () => {} }

/** For apps that nobody watches over streams in. */
export const noRegister: StreamRegister = { hold: async () => unwatched }

/**
 * The last event of a stream whose authority has ended. It has no id and no `sequence`: it is none of the events that the
 * stream tells of, and whoever is admitted again goes on behind the last one of those.
 */
export const revokedEvent = (at: number): string =>
  `event: end\ndata: ${JSON.stringify({ reason: 'revoked', at: timestamp(at) })}\n\n`
