/** The server's routes as types only: no server code reaches the browser bundle. */
import type { Static, TSchema } from '@sinclair/typebox'
import type { Elysia } from 'elysia'
import type { areas } from '../../areas.ts'
import type { EmbedTicketAnswer, NewEmbedTicket } from '../../runtime/statecharts/embedding/schema.ts'
import type { ActorState, Machine, PreviewBody, PreviewResult, VerifyResult } from '../../runtime/statecharts/schema.ts'
import type { SimulationAnswer, SimulationOfActor } from '../../runtime/statecharts/simulation/schema.ts'

/** Turns a union into an intersection. */
type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

type Areas = (typeof areas)[number]
type Routes = Intersection<ReturnType<Areas['routes']>['~Routes']>

/** One operation without query parameters, in Elysia's route types. */
interface Operation<Answer extends TSchema, Body = unknown> {
  body: Body
  params: { kind: string; id: string }
  query: unknown
  headers: unknown
  response: { 200: Static<Answer> }
}

/** Actor routes are the same for every kind; the server registers them in a loop. */
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
            simulate: { post: Operation<typeof SimulationAnswer, SimulationOfActor> }
            'embed-tickets': { post: Operation<typeof EmbedTicketAnswer, Static<typeof NewEmbedTicket>> }
          }
        }
      }
    }
  }
}

export type Server = Elysia & { '~Routes': Routes & ActorRoutes }
