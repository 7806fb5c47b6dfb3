/** Those who attend to runs from outside: they decide, send events, resolve and cancel, as often as a server answers. */
import type { Run, Step } from '../../../automation/workflows/world.ts'
import type { Receiver } from '../../../events/webhooks/world.ts'
import type { Client } from '../../../support/client.ts'
import type { Served } from '../served-workflows.ts'
import { paramsOf, succeeds } from './definitions.ts'

/** A run that is to be started, and what becomes of it. */
export interface Planned {
  name: string
  workflow: string
  isCanceled: boolean
  id?: string
  last?: Run
}

/** The unknown steps and items of a run. */
const unknownOf = (steps: Step[]) =>
  steps.flatMap(({ stepId, state, elements, operation }) => [
    ...(state === 'unknown' ? [{ stepId, operation }] : []),
    ...(elements ?? []).flatMap((each) =>
      each.state === 'unknown' ? [{ stepId: `${stepId}.${each.index}`, operation }] : [],
    ),
  ])

export const hasEnded = ({ last }: Planned): boolean => {
  if (!last || !['completed', 'failed', 'canceled'].includes(last.state)) return false
  return last.state === 'canceled' || unknownOf(last.steps).length === 0
}

export class People {
  constructor(
    private readonly served: Served,
    private readonly shop: Receiver,
  ) {}

  /** Starts the run once, however often it is asked for. */
  async start(client: Client, planned: Planned) {
    const { name, workflow } = planned
    const body = {
      agentId: this.served.agentId,
      definitionIdOrName: workflow,
      params: paramsOf(name),
      requestKey: name,
    }
    const answer = await client.post(this.served.path, body)
    if (answer.status === 200 || answer.status === 202) planned.id = answer.body.data.workflowRunId
  }

  /** One round: approvals, and then each run that has not ended. */
  async attend(client: Client, runs: readonly Planned[]) {
    const { environmentPath } = this.served
    const approvals = await client.get(`${environmentPath}/operation-approvals`, {
      query: { status: 'pending', limit: '100' },
    })
    for (const { id, input } of approvals.body?.data?.items ?? []) {
      const decision = succeeds(`/approved/${input.what}`, 1) ? 'approve' : 'reject'
      await client.post(`${environmentPath}/operation-approvals/${id}/${decision}`, {})
    }
    for (const planned of runs) {
      if (planned.id === undefined) await this.start(client, planned)
      if (planned.id !== undefined && !hasEnded(planned)) await this.#look(client, planned)
    }
  }

  async #look(client: Client, planned: Planned) {
    const path = `${this.served.path}/${planned.id}`
    const { status, body } = await client.get(path)
    if (status !== 200) return
    const run = body.data as Run
    planned.last = run
    if (planned.isCanceled && Math.random() < 0.3) await client.post(`${path}/cancel`)
    for (const { state, waitsFor } of run.steps)
      if (state === 'waiting' && waitsFor?.event === 'event') await this.#send(client, waitsFor)
    if (run.state !== 'unknown' && run.state !== 'failed') return
    for (const { stepId, operation } of unknownOf(run.steps)) {
      const asked = `/${operation?.split('.')[1]}/${planned.name}-${stepId}`
      const wasAsked = this.shop.received.some((each) => each.path === asked)
      const outcome = !wasAsked
        ? 'retry'
        : succeeds(asked, 1)
          ? { status: 'succeeded', output: { path: asked } }
          : 'failed'
      await client.post(`${path}/resolve-unknown`, { stepId, outcome })
    }
    if (run.state === 'unknown') await client.post(`${path}/resume`)
  }

  async #send(client: Client, { event, correlation }: { event: string; correlation: string }) {
    const data = { path: correlation }
    const headers = { 'idempotency-key': correlation }
    await client.post(`${this.served.environmentPath}/workflow-events`, { event, correlation, data }, { headers })
  }
}
