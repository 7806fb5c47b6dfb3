/** Operations executed by workers, and workers. */
import type { Client, Reply } from '../../support/client.ts'
import type { TroupeOptions } from '../../support/troupe.ts'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { type Invocation, openOperations, type Served } from '../operations/world.ts'

export type { Served } from '../operations/world.ts'

export interface Lease {
  invocationId: string
  operation: string
  input: unknown
  attempt: number
  idempotencyKey: string
  expiresAt: string
  token: string
}

export const workerOperation = (name: string, changes: object = {}) =>
  echoOperation(name, { handler: { type: 'worker', queue: 'billing' }, ...changes })

/** A write that is not repeatable. */
export const once = { effect: 'write', idempotent: false }

export async function openWorkers(options: TroupeOptions = {}) {
  const world = await openOperations(options)
  const { owner } = world
  const post = (path: string, body: object, client: Pick<Client, 'post'>): Promise<Reply> => client.post(path, body)

  return {
    ...world,

    lease: ({ place }: Served, body: object = {}, client: Pick<Client, 'post'> = owner): Promise<Reply> =>
      post(`${place.path}/workers/leases`, { queue: 'billing', workerId: 'w1', slots: 1, ...body }, client),

    /** The call that a worker leases. */
    async leased(served: Served, body: object = {}): Promise<Lease> {
      const { lease } = await data<{ lease: Lease }>(this.lease(served, { waitSeconds: 20, ...body }))
      return lease
    },

    heartbeat: ({ place }: Served, { invocationId, token }: Pick<Lease, 'invocationId' | 'token'>, client = owner) =>
      post(`${place.path}/workers/invocations/${invocationId}/heartbeat`, { token }, client),

    complete: (
      { place }: Served,
      { invocationId, token }: Pick<Lease, 'invocationId' | 'token'>,
      answer: object,
      client = owner,
    ) => post(`${place.path}/workers/invocations/${invocationId}/complete`, { token, ...answer }, client),

    /** The response to a request for the operation, once it ends. */
    called: (served: Served, operation: string, input: object = {}): Promise<Invocation> =>
      data<Invocation>(served.invoke(operation, { input })),
  }
}
export type WorkersWorld = Awaited<ReturnType<typeof openWorkers>>
