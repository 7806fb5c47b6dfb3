/** A small kind of actor with every feature of a statechart, and its own table. */
import { assign, setup } from 'xstate'
import type { Chart } from '../../../machines/charts/chart.ts'
import { effect } from '../../../machines/words.ts'
import type { ActorKind } from '../../../src/runtime/kind.ts'
import type { Query, Store, Write } from '../../../storage/store.ts'

interface TicketContext {
  secret: string
  notes: number
  lines: string[]
}

export type TicketEvent =
  | { type: 'submit' | 'reject' | 'park' | 'resume' | 'shelve' | 'scribble' }
  | { type: 'note'; text: string }
  | { type: 'approve'; tags: string[] }
  | { type: 'close'; answer: { code: number } }

export const ticketMachine = setup({
  types: { input: {} as { secret: string }, context: {} as TicketContext, events: {} as TicketEvent },
  guards: { tagged: ({ event }) => event.type === 'approve' && event.tags.includes('ready') },
  delays: { reviewDeadline: 60_000 },
  actions: {
    countNote: assign(({ context, event }) => ({
      notes: context.notes + (event.type === 'note' ? event.text.trim().length : 0),
    })),
    readAnswer: assign(({ event }) => ({ notes: event.type === 'close' ? event.answer.code : 0 })),
    // a careless action: it modifies its input
    scribble: assign(({ context }) => {
      context.lines.push('scribbled')
      return {}
    }),
    announce: effect,
    stopClock: effect,
    tell: (_, _params: { secret: string }) => {},
  },
}).createMachine({
  id: 'ticket',
  version: '3',
  context: ({ input }) => ({ secret: input.secret, notes: 0, lines: [] }),
  initial: 'draft',
  // biome-ignore format: the statechart reads as a table
  states: {
    'draft':     { on:    { submit: { target: 'in-review', actions: 'announce' },
                            note:   { actions: 'countNote' },
                            shelve: {} } },
    'in-review': { exit:  'stopClock',
                   on:    { approve: [{ target: 'open', guard: 'tagged', actions: { type: 'tell', params: ({ context }) => ({ secret: context.secret }) } }],
                            reject:  { target: 'draft' } },
                   after: { reviewDeadline: { target: 'draft' } } },
    'open':      { entry: 'announce', on: { park: { target: 'note' }, close: { target: 'closed', actions: 'readAnswer' }, note: { target: 'open', reenter: true }, scribble: { actions: 'scribble' } } },
    'note':      { on:    { resume: { target: 'open' } } },
    'closed':    {},
  },
})

export const ticketChart: Chart = {
  title: 'Ticket',
  about: 'Something to be done.',
  machine: ticketMachine,
  input: { secret: '' },
  events: {
    create: { by: 'command', says: 'Somebody writes it.' },
    submit: { by: 'command', says: 'Somebody hands it in.' },
    note: { by: 'command', says: 'Somebody adds a note.' },
    approve: { by: 'command', says: 'Somebody approves it.' },
    reject: { by: 'command', says: 'Somebody sends it back.' },
    park: { by: 'command', says: 'It has to wait.' },
    close: { by: 'report', says: 'It is done.' },
    scribble: { by: 'server', says: 'Nobody knows why.' },
    resume: { by: 'command', says: 'It goes on.' },
  },
  guards: { tagged: 'It is tagged as ready.' },
  deadlines: { reviewDeadline: { limits: 'The review.' } },
  effects: { announce: 'Tells everybody.', stopClock: 'Stops the clock.', tell: 'Tells somebody.' },
}

interface TicketRow {
  id: string
  organization: string
  state: string
  version: number
  machine_version: string
  context: string
}

export const createTickets: Write = {
  sql: `create table tickets (id text primary key, organization text not null, state text not null,
    version integer not null, machine_version text not null, context text not null)`,
  parameters: [],
}

const ticketById = (id: string): Query<TicketRow> => ({ sql: 'select * from tickets where id = ?', parameters: [id] })

/** Whether the organization has this ticket. */
const hasTicket = async (store: Store, organization: string, id: string): Promise<boolean> =>
  (await store.first(ticketById(id)))?.organization === organization

export const ticketKind: ActorKind<TicketRow, TicketContext, TicketEvent> = {
  kind: 'ticket',
  machine: ticketMachine,
  load: (store, id) => store.first(ticketById(id)),
  snapshot: ({ state, version, machine_version, context }) => ({
    state,
    version,
    machineVersion: machine_version,
    context,
  }),
  apply({ address, before, state, context, version, seed }) {
    const row: TicketRow = {
      id: address.id,
      organization: before ? before.row.organization : (seed as { organization: string }).organization,
      state,
      version,
      machine_version: '3',
      context: JSON.stringify(context),
    }
    const stored = before
      ? {
          sql: 'update tickets set state = ?, version = ?, context = ? where id = ? and version = ?',
          parameters: [row.state, row.version, row.context, row.id, before.version],
          rows: 1,
        }
      : {
          sql: 'insert into tickets values (?, ?, ?, ?, ?, ?)',
          parameters: [row.id, row.organization, row.state, row.version, row.machine_version, row.context],
        }
    return { row, writes: [stored] }
  },
  effects: { announce: { hint: () => {} }, stopClock: { hint: () => {} }, tell: { hint: () => {} } },
  view: {
    permission: 'agent-jobs:get',
    isVisible: (store, { organizationId }, id) => hasTicket(store, organizationId, id),
    show: ({ notes, lines }) => ({ notes, lines }),
  },
}
