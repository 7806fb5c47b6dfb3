/** The history of an Environment as it is followed: from its last events to the present, through losses and gaps. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { ApiFailure } from '../../../src/console/api/failure.ts'
import { type EventsBody, HistoryTail, type ReadEvents } from '../../../src/console/pages/events/history-tail.ts'
import { families, familiesOf, familyOf } from '../../../src/console/pages/webhooks/event-kinds.ts'
import type { Event } from '../../../src/events/history/schema.ts'
import { recordedKinds } from '../../../src/events/kinds/kinds.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

const event = (sequence: number) => ({ sequence, type: 'run.created' }) as unknown as Event

/** Answers what is asked in turn; the last one again and again. */
function reading(...answers: (EventsBody | Error)[]): { read: ReadEvents; asked: (string | number | undefined)[] } {
  const asked: (string | number | undefined)[] = []
  return {
    asked,
    read: async ({ cursor, last }) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)]!
      asked.push(cursor ?? last)
      if (answer instanceof Error) throw answer
      return answer
    },
  }
}

const page = (sequences: number[], cursor: string, hasMore = false): EventsBody => ({
  events: sequences.map(event),
  pagination: { hasMore, ...(hasMore && { nextCursor: cursor }), resumeCursor: hasMore ? 'not this one' : cursor },
})

/** Follows until the condition holds. */
async function follow(history: HistoryTail, until: () => boolean): Promise<HistoryTail['tail']> {
  history.start()
  while (!until()) await new Promise((resolve) => setTimeout(resolve, 1))
  history.stop()
  return history.tail
}

describe('the tail of a history', () => {
  test('reads retained events, then polls from the last cursor', async () => {
    const { read, asked } = reading(
      page([1, 2], 'a', true),
      page([3], 'b'),
      page([], 'b'),
      page([4], 'c'),
      page([], 'c'),
    )
    const history = new HistoryTail({ read, pollMs: 1 })
    const { events, state } = await follow(history, () => asked.length >= 6)
    expect(state).toBe('live')
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
    expect(asked.slice(0, 6)).toEqual([2_000, 'a', 'b', 'b', 'c', 'c'])
  })

  test('a lost connection is asked again from the same place', async () => {
    const lost = new ApiFailure({ status: 0, code: 'connection_lost', message: '' })
    const { read, asked } = reading(page([1], 'a'), lost, lost, page([2], 'b'))
    const history = new HistoryTail({ read, pollMs: 1 })
    const seen = new Set<string>()
    history.subscribe(() => seen.add(history.tail.state))
    const { events } = await follow(history, () => history.tail.events.length >= 2)
    expect(asked.slice(0, 4)).toEqual([2_000, 'a', 'a', 'a'])
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(seen).toContain('lost')
  })

  test('a gap stops it until the user chooses where to continue', async () => {
    const details = { oldestSequence: 40 }
    const expired = new ApiFailure({ status: 409, code: 'cursor_expired', message: '', details })
    const { read, asked } = reading(page([1], 'a'), expired, page([41], 'z'))
    const history = new HistoryTail({ read, pollMs: 1 })
    const { oldestSequence, events } = await follow(history, () => history.tail.state === 'gap')
    expect(oldestSequence).toBe(40)
    expect(events).toHaveLength(1)
    history.startFrom('baseline')
    await follow(history, () => history.tail.events.length > 0)
    expect(asked).toContain('baseline')
    expect(history.tail.events.map(({ sequence }) => sequence)).toContain(41)
  })

  test('a long history is not read to its end without asking', async () => {
    const { read, asked } = reading(page([1], 'a', true))
    const history = new HistoryTail({ read, pollMs: 1 })
    await follow(history, () => history.tail.state === 'more')
    expect(asked).toHaveLength(20)
  })

  test('the last events of a long history come first, and the oldest if wanted', async () => {
    const pages = Array.from({ length: 20 }, (_, index) =>
      page(
        Array.from({ length: 100 }, (_, at) => 5_001 + 100 * index + at),
        `at ${index}`,
        index < 19,
      ),
    )
    const { read, asked } = reading(...pages, page([], 'end'), page([1], 'old'))
    const history = new HistoryTail({ read, pollMs: 1 })
    const { events, hasEarlier } = await follow(history, () => asked.length > 20)
    expect([events.length, events[0]?.sequence, hasEarlier]).toEqual([2_000, 5_001, true])
    history.startFrom(undefined)
    await follow(history, () => history.tail.events.length > 0)
    expect(asked.slice(0, 2)).toEqual([2_000, 'at 0'])
    expect(asked).toContain(undefined)
    expect([history.tail.events[0]?.sequence, history.tail.hasEarlier]).toEqual([1, false])
  })

  test('a forbidden history names the permission', async () => {
    const denied = new ApiFailure({ status: 403, code: 'permission_denied', message: '' })
    const history = new HistoryTail({ read: reading(denied).read, pollMs: 1 })
    const { failure } = await follow(history, () => history.tail.state === 'refused')
    expect(failure).toBe(denied)
  })
})

test('every kind of event has a family', () => {
  const names = families.map(([name]) => name)
  expect(recordedKinds.filter((kind) => !names.includes(familyOf(kind)))).toEqual([])
})

test('a kind that is new to the console has a family of its own, behind the known ones', () => {
  const kinds = [
    { kind: 'parcel.sent' as never, description: '' },
    { kind: 'run.created' as const, description: '' },
  ]
  expect(familiesOf(kinds).map(({ title }) => title)).toEqual(['Runs', 'parcel'])
})

describe('the page', () => {
  let troupe: Troupe
  let world: ConsoleWorld
  let path: string
  let where: string
  beforeAll(async () => {
    ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
    await Promise.all([import('../../../src/console/pages/events/list.tsx')])
    const { owner } = troupe
    const project = (await owner.post('/api/v1/projects', { name: 'Shop', slug: 'shop' })).body.data
    const ofProject = `/api/v1/projects/${project.id}`
    const { id } = (await owner.get(`${ofProject}/environments`)).body.data.items[0]
    path = `${ofProject}/environments/${id}`
    where = `/o/default/p/${project.id}/e/${id}/events`
    const agent = (await owner.post(`${ofProject}/agents`, { name: 'Clerk', slug: 'clerk' })).body.data
    const content = { instructions: 'Sell.' }
    const revision = (await owner.post(`${ofProject}/agents/${agent.id}/revisions`, { content })).body.data
    const agents = [{ agentId: agent.id, agentRevisionId: revision.id }]
    const release = (await owner.post(`${ofProject}/releases`, { agents })).body.data
    await owner.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' })
    const { configurationHead } = (await owner.get(path)).body.data
    const body = { releaseId: release.id, configurationRevisionId: configurationHead.revisionId }
    const deployment = (await owner.post(`${path}/deployments`, body)).body.data
    for (let state = ''; state !== 'ready'; ) {
      ;({ state } = (await owner.get(`${path}/deployments/${deployment.id}`)).body.data)
    }
    await owner.post(`${path}/activations`, { deploymentId: deployment.id, expectedGeneration: 0 })
  })
  afterEach(() => world.cleanup())
  afterAll(async () => {
    await world?.close()
    await troupe?.stop()
  })

  const click = (element: HTMLElement) => world.fireEvent.click(element)

  test('shows events, newest first, and one of them as JSON', async () => {
    await world.show(where, { troupe })
    await world.screen.findByText('Live')
    const rows = await world.screen.findAllByRole('button', { name: /^Event \d+/ })
    expect(rows[0]?.textContent).toContain('activation.changed')
    click(rows.at(-1)!)
    const dialog = await world.screen.findByRole('dialog', { name: 'deployment.queued', hidden: true })
    expect(dialog.textContent).toContain('"sequence": 1')
    expect(dialog.querySelector('a')?.getAttribute('href')).toMatch(/\/deployments\/dep_\w+$/)
  })

  test('filters by event family', async () => {
    await world.show(where, { troupe })
    await world.screen.findAllByRole('button', { name: /deployment\.ready/ })
    world.fireEvent.change(world.screen.getByLabelText('Kinds of events'), { target: { value: 'activation' } })
    expect(world.screen.getAllByRole('button', { name: /^Event \d+/ })).toHaveLength(1)
  })

  test('jumps from the middle of a long history to its end, also without the permission for a baseline', async () => {
    let isLong = true
    await world.show(where, {
      troupe,
      between: (next) => async (url, init) => {
        if (url.includes('/rebaseline')) return Response.json({ error: { code: 'permission_denied' } }, { status: 403 })
        const answer = await next(url, init)
        if (!url.includes('/events?') || !isLong) return answer
        // as if a page were followed by another one
        const body = (await answer.json()) as EventsBody
        const { resumeCursor } = body.pagination
        return Response.json({ ...body, pagination: { hasMore: true, nextCursor: resumeCursor, resumeCursor } })
      },
    })
    const jump = await world.screen.findByRole('button', { name: 'Jump to now' })
    isLong = false
    click(jump)
    await world.screen.findByText('Live')
    const [newest] = await world.screen.findAllByRole('button', { name: /^Event \d+/ })
    expect(newest?.textContent).toContain('activation.changed')
  })

  test('explains a gap, and continues from a new baseline', async () => {
    const error = { code: 'cursor_expired', message: 'Gone.', requestId: 'r', details: { oldestSequence: 12 } }
    await world.show(where, {
      troupe,
      between: (next) => (url, init) =>
        url.includes('/events?') && !url.includes('cursor=')
          ? Promise.resolve(Response.json({ error }, { status: 409 }))
          : next(url, init),
    })
    await world.screen.findByText(/have expired\. A baseline/)
    click(world.screen.getByRole('button', { name: 'Create baseline' }))
    const baseline = await world.screen.findByRole('region', { name: 'Baseline' })
    expect(baseline.textContent).toContain('Generation1')
    await world.screen.findByText('Live')
  })

  test('names the permission that is missing', async () => {
    const details = { permission: 'webhooks:events:read' }
    const error = { code: 'permission_denied', message: 'No.', requestId: 'r', details }
    await world.show(where, {
      troupe,
      between: (next) => (url, init) =>
        url.includes('/events?') ? Promise.resolve(Response.json({ error }, { status: 403 })) : next(url, init),
    })
    await world.screen.findByText('You need the permission webhooks:events:read.')
  })
})
