/**
 * The API as the areas of the server declare it, in types alone: nothing of the server reaches the browser.
 */
import type { Static, TSchema } from '@sinclair/typebox'
import type { Elysia } from 'elysia'
import type { areas } from '../../areas.ts'
import type { ActorState, Machine, PreviewBody, PreviewResult, VerifyResult } from '../../runtime/statecharts/schema.ts'

/** What is all of the types of a union at once. */
type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

type Areas = (typeof areas)[number]
type Routes = Intersection<ReturnType<Areas['routes']>['~Routes']>

/** One operation without a query, as Elysia's types have it. */
interface Operation<Answer extends TSchema, Body = unknown> {
  body: Body
  params: { kind: string; id: string }
  query: unknown
  headers: unknown
  response: { 200: Static<Answer> }
}

/** The actors of all kinds have the same routes; the server makes them kind by kind. */
interface ActorRoutes {
  api: {
    v1: {
      actors: {
        ':kind': {
          ':id': {
            get: Operation<typeof ActorState>
            machine: { get: Operation<typeof Machine> }
            verify: { get: Operation<typeof VerifyResult> }
            preview: { post: Operation<typeof PreviewResult, PreviewBody> }
          }
        }
      }
    }
  }
}

/** What the client is typed by. */
export type Server = Elysia & { '~Routes': Routes & ActorRoutes }
