/**
 * Client of the public API, typed by the server's routes:
 *
 *     const { data } = await sent(api.v1.projects({ projectId }).environments.get({ query: { limit: 20 } }))
 */
import { type Treaty, treaty } from '@elysiajs/eden/treaty2'
import { ApiFailure, failureIn, failureOf, isAbort } from './failure.ts'
import type { Server } from './server-type.ts'
import { createTransport, type TransportParts } from './transport.ts'

export type Api = Treaty.Create<Server>['api']

export interface ApiParts extends TransportParts {
  /** Origin of the API: `https://troupe.example`. */
  origin: string
}

/** Creates a client that sends the session cookie, scoped to one organization if given. */
export function createApi({ origin, ...parts }: ApiParts): Api {
  const fetcher = createTransport(parts) as typeof fetch
  return treaty<Server>(origin, { fetcher, parseDate: false, keepDomain: true }).api
}

/** Result of any client operation. */
export type Answer =
  | { data: unknown; error: null; status: number }
  | { data: null; error: { status: unknown; value: unknown }; status: number }

/** Body of a successful operation. */
export type BodyOf<Answered> = Answered extends { error: null; data: infer Body } ? Body : never

/** Resolves to the response body. Rejects with `ApiFailure`, or with `AbortError` if the request was aborted. */
export async function sent<Answered extends Answer>(answering: Promise<Answered>): Promise<BodyOf<Answered>> {
  const { data, error, status } = await answering
  if (error === null) return data as BodyOf<Answered>
  if (error.value instanceof Error) throw isAbort(error.value) ? error.value : failureOf(error.value)
  throw failureIn(status, error.value)
}

export { ApiFailure }
