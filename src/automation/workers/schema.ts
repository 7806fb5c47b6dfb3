/** The shapes of workers. Source: contract 11, "Workers". */
import { type Static, Type } from '@sinclair/typebox'
import { QueueName } from '../../authoring/definitions/source-schema.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { OperationName } from '../operations/invocations/schema.ts'

const slotsMax = 100
const waitSecondsMax = 25
/** The most calls that a worker names as received. */
const heldMax = 1_000
/** The most answers in one request. */
const answersMax = 100

const WorkerId = Type.String({
  pattern: '^[\\x21-\\x7e]{1,200}$',
  description: "The worker's name for itself: printable ASCII without spaces.",
  examples: ['billing-7f9c'],
})
const Token = Type.String({ minLength: 1, maxLength: 200, description: 'The `token` of the lease.' })

/** `{P}/workers/invocations/:invocationId` */
export const WorkerCallPath = Type.Object({ ...EnvironmentPath.properties, invocationId: Id('opi') })
export type WorkerCallPath = Static<typeof WorkerCallPath>

export const LeaseBody = Type.Object(
  {
    queue: QueueName('The queue that it serves.'),
    workerId: WorkerId,
    slots: Type.Integer({
      minimum: 1,
      maximum: slotsMax,
      description: 'How many calls it can take now: the maximum to lease.',
    }),
    operations: Type.Optional(
      Type.Array(OperationName, {
        minItems: 1,
        maxItems: 100,
        description: 'Only calls of these operations; omitted: of any.',
      }),
    ),
    waitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: waitSecondsMax,
        description: 'How long to wait for a call; omitted: not at all.',
      }),
    ),
    held: Type.Optional(
      Type.Array(Id('opi'), {
        maxItems: heldMax,
        description:
          'After a request whose answer was lost: all calls of the queue that the worker has received and not answered. What ' +
          'else was leased to it, and not kept by a heartbeat, is given to it again, with a new token. One request at a time.',
      }),
    ),
    leaving: Type.Optional(
      Type.Boolean({
        description:
          'The worker no longer serves the queue: it gets no new calls, its waiting requests are answered, and it is no ' +
          'longer listed. With `held` it gets the calls that it has not received.',
      }),
    ),
  },
  { $id: 'WorkerLeaseRequest', additionalProperties: false, description: 'A worker asks for calls.' },
)
export type LeaseBody = Static<typeof LeaseBody>

const WorkerLease = Type.Object(
  {
    invocationId: Id('opi'),
    operation: OperationName,
    input: Type.Unknown({ description: 'The input of the operation, by its `inputSchema`.' }),
    attempt: Type.Integer({ minimum: 1, description: 'The number of leases of the call, including this one.' }),
    idempotencyKey: Type.String({ description: 'The same for each attempt of the call.' }),
    expiresAt: Timestamp('When the lease is lost without a heartbeat.'),
    token: Type.String({ description: 'The token for heartbeats and the answer. It is shown only here.' }),
    traceparent: Type.Optional(
      Type.String({ description: 'The span that the call is made in, as in W3C Trace Context; only with traces.' }),
    ),
    tracestate: Type.Optional(Type.String({ description: 'Sent along with `traceparent`.' })),
  },
  { $id: 'WorkerLease', description: 'A call that a worker has to make.' },
)
export type WorkerLease = Static<typeof WorkerLease>

export const WorkerLeases = Type.Object(
  {
    lease: WorkerLease,
    more: Type.Array(WorkerLease, { description: 'Further calls, as `slots` allows.' }),
  },
  { $id: 'WorkerLeases', description: 'The signal for a worker.' },
)

export const HeartbeatBody = Type.Object({ token: Token }, { $id: 'WorkerHeartbeat', additionalProperties: false })

export const Prolonged = Type.Object(
  {
    expiresAt: Timestamp('When the lease is lost without another heartbeat.'),
    signal: oneOf(['continue', 'cancel'], { description: '`cancel`: the call is no longer wanted.' }),
  },
  { $id: 'WorkerHeartbeatAnswer', description: "The answer to a worker's heartbeat." },
)

const answer = {
  token: Token,
  output: Type.Optional(Type.Unknown({ description: 'The output of the operation, according to its `outputSchema`.' })),
  error: Type.Optional(
    Type.Object(
      {
        code: Type.String({ pattern: '^[a-zA-Z0-9_.-]{1,64}$', examples: ['card_declined'] }),
        message: Type.String({ minLength: 1, maxLength: 2_000, description: 'The caller reads it; no secrets.' }),
        retryable: Type.Boolean({ description: 'Nothing has happened, and another attempt may succeed.' }),
      },
      { additionalProperties: false, description: 'Why there is no output.' },
    ),
  ),
}

export const CompleteBody = Type.Object(answer, {
  $id: 'WorkerAnswer',
  additionalProperties: false,
  description: 'Either an output or an error.',
})
export type CompleteBody = Static<typeof CompleteBody>

export const CompleteAllBody = Type.Object(
  {
    answers: Type.Array(
      Type.Object(
        { invocationId: Id('opi'), ...answer },
        { additionalProperties: false, description: 'Either an output or an error.' },
      ),
      { minItems: 1, maxItems: answersMax },
    ),
  },
  { $id: 'WorkerAnswers', additionalProperties: false, description: 'Answers to several calls.' },
)
export type CompleteAllBody = Static<typeof CompleteAllBody>

export const Completed = Type.Object(
  {
    state: oneOf(['succeeded', 'failed', 'retrying'], {
      description: 'The state of the call: `GET /api/v1/machines/worker-call`.',
    }),
  },
  { $id: 'WorkerAnswerTaken', description: 'The answer was taken.' },
)

export const CompletedAll = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        invocationId: Id('opi'),
        state: nullable(
          oneOf(['succeeded', 'failed', 'retrying'], {
            description: 'The state of the call; null: it was not accepted.',
          }),
        ),
        error: nullable(
          Type.Object(
            { code: Type.String({ examples: ['stale_lease'] }), message: Type.String() },
            { description: 'Why the answer was not accepted.' },
          ),
        ),
      }),
    ),
  },
  { $id: 'WorkerAnswersTaken', description: 'The result for each answer, in the same order.' },
)
export type CompletedAll = Static<typeof CompletedAll>

export const Workers = Type.Object(
  {
    queues: Type.Array(
      Type.Object({
        queue: Type.String({ examples: ['billing'] }),
        workers: Type.Integer({ description: 'Workers that serve it.' }),
        waiting: Type.Integer({ description: 'Calls that wait. Of an Environment 10,000 are counted at most.' }),
        leased: Type.Integer({ description: 'Calls that workers have.' }),
        oldestWaitingSince: nullable(Timestamp('When the call that waits the longest was made.')),
      }),
    ),
    workers: Type.Array(
      Type.Object({
        workerId: WorkerId,
        queue: Type.String({ examples: ['billing'] }),
        operations: nullable(Type.Array(OperationName, { description: 'null: all of the queue.' })),
        slots: Type.Integer({ description: 'The number of calls that it last requested.' }),
        leased: Type.Integer({ description: 'Calls that it has.' }),
        lastSeenAt: Timestamp('The time of its last request.'),
      }),
    ),
  },
  { $id: 'Workers', description: 'The workers of an Environment, and what waits for them.' },
)
export type Workers = Static<typeof Workers>
