/**
 * Streams outlive the request that opened them, so their authority must hold as long as they are open. A route with
 * `streaming: true` gets an `Admission`, which counts the stream, repeats the guard's checks and ends the stream when they
 * fail. Source: contract 1, end of "Session".
 */

import type { ApiError } from '../answers/errors.ts'
import { timestamp } from '../timestamp.ts'
import type { Caller } from './caller.ts'

/** An open stream, as the register sees it. */
export interface OpenStream {
  /** Whether the caller may see the stream's subject. May throw like the route: 401, 403 and 404 count as no. */
  isVisible(caller: Caller): boolean | Promise<boolean>
  /**
   * Ends the stream with `revokedEvent`. `refusal` is the error of a new request. Called at most once, and never after
   * `release`.
   */
  revoke(refusal: ApiError): void
}

/** A stream's entry in the register. */
export interface Hold {
  /** Removes the stream. May be called again. */
  release(): void
}

/** Registers the stream of a route. */
export interface Admission {
  /**
   * Counts and watches the stream until it is released. Throws `too_many_streams` (429) at the limit of the credential and
   * `limit_exceeded` (422) at the limit of the organization.
   */
  hold(stream: OpenStream): Promise<Hold>
}

/** Watches streams; `admits` repeats the guard's checks and throws as they do. */
export interface StreamRegister {
  hold(caller: Caller, admits: (caller: Caller) => void | Promise<void>, stream: OpenStream): Promise<Hold>
}

const unwatched: Hold = { release: () => {} }

/** For apps that do not watch streams. */
export const noRegister: StreamRegister = { hold: async () => unwatched }

/**
 * The last event of a stream whose authority has ended. It has no id and no `sequence`, because it is not part of the
 * history: a client that is admitted again continues after the last event that has one.
 */
export const revokedEvent = (at: number): string =>
  `event: end\ndata: ${JSON.stringify({ reason: 'revoked', at: timestamp(at) })}\n\n`
