/**
 * The client of the public API, typed by the server's own routes:
 *
 *     const { data } = await sent(api.v1.projects({ projectId }).environments.get({ query: { limit: 20 } }))
 */
import { type Treaty, treaty } from '@elysiajs/eden/treaty2'
import { ApiFailure, failureIn, failureOf, isAbort } from './failure.ts'
import type { Server } from './server-type.ts'
import { createTransport, type TransportParts } from './transport.ts'

export type Api = Treaty.Create<Server>['api']

export interface ApiParts extends TransportParts {
  /** Where the API is: `https://troupe.example`. */
  origin: string
}

/** A client that speaks as the session, for one organization where one is given. */
export function createApi({ origin, ...parts }: ApiParts): Api {
  const fetcher = createTransport(parts) as typeof fetch
  return treaty<Server>(origin, { fetcher, parseDate: false, keepDomain: true }).api
}

/** What any operation of the client answers. */
export type Answer =
  | { data: unknown; error: null; status: number }
  | { data: null; error: { status: unknown; value: unknown }; status: number }

/** The body of an operation that went well. */
export type BodyOf<Answered> = Answered extends { error: null; data: infer Body } ? Body : never

/** The body of the answer. Rejects with `ApiFailure`, or with an `AbortError` when the request was given up. */
export async function sent<Answered extends Answer>(answering: Promise<Answered>): Promise<BodyOf<Answered>> {
  const { data, error, status } = await answering
  if (error === null) return data as BodyOf<Answered>
  if (error.value instanceof Error) throw isAbort(error.value) ? error.value : failureOf(error.value)
  throw failureIn(status, error.value)
}

export { ApiFailure }
