/**
 * One alert: a rule, and whether its condition holds. The actor's id is the rule's. A measurement may fluctuate around
 * its threshold; an alert still notifies only once that it fires and once that it is resolved.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { effect, type Stamp } from './words.ts'

export const alertStates = ['ok', 'pending', 'firing', 'cooling', 'disabled'] as const
export type AlertState = (typeof alertStates)[number]

export interface AlertSettings {
  /** How long the condition must hold before it fires, in milliseconds. */
  holdMs: number
  /** How long the condition must be over before the alert is resolved, in milliseconds. */
  coolDownMs: number
}

export interface AlertContext extends AlertSettings {
  /** When the condition began to hold; null while it does not. */
  heldSince: number | null
  /** When the condition ended, while the alert is not resolved yet. */
  overSince: number | null
  /** When the alert fired. */
  firingSince: number | null
  /** The last measurement: a count, or a percentage. */
  value: number | null
}

export type AlertEvent =
  /** The condition holds. */
  | (Stamp & { type: 'breached'; value: number })
  /** The condition does not hold. */
  | (Stamp & { type: 'cleared'; value: number })
  | (Stamp & { type: 'change' } & AlertSettings)
  /** Another name, or other recipients. */
  | (Stamp & { type: 'rename' })
  | (Stamp & { type: 'disable' })
  | (Stamp & { type: 'enable' })

const measured = (event: AlertEvent) => ('value' in event ? event.value : null)

export const alertMachine = setup({
  types: {
    input: {} as AlertSettings,
    context: {} as AlertContext,
    events: {} as AlertEvent,
  },
  guards: {
    firesAtOnce: ({ context }) => context.holdMs === 0,
    heldLongEnough: ({ context, event }) => event.at - (context.heldSince ?? event.at) >= context.holdMs,
    endsAtOnce: ({ context }) => context.coolDownMs === 0,
    overLongEnough: ({ context, event }) => event.at - (context.overSince ?? event.at) >= context.coolDownMs,
  },
  actions: {
    noteHeld: assign(({ event }) => ({ heldSince: event.at, value: measured(event) })),
    noteFiring: assign(({ event }) => ({ firingSince: event.at, value: measured(event) })),
    noteOver: assign(({ event }) => ({ overSince: event.at, value: measured(event) })),
    noteBack: assign(({ event }) => ({ overSince: null, value: measured(event) })),
    forget: assign(({ event }) => ({ heldSince: null, overSince: null, firingSince: null, value: measured(event) })),
    takeSettings: assign(({ event }) =>
      event.type === 'change' ? { holdMs: event.holdMs, coolDownMs: event.coolDownMs } : {},
    ),
    tellFiring: effect,
    tellResolved: effect,
  },
}).createMachine({
  id: 'alert',
  version: '1',
  context: ({ input }) => ({
    holdMs: input.holdMs,
    coolDownMs: input.coolDownMs,
    heldSince: null,
    overSince: null,
    firingSince: null,
    value: null,
  }),
  initial: 'ok',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    'ok':       { on: { breached: [{ target: 'firing', guard: 'firesAtOnce', actions: ['noteHeld', 'noteFiring', 'tellFiring'] },
                                   { target: 'pending', actions: 'noteHeld' }],
                        change:    { target: 'ok', actions: 'takeSettings' },
                        rename:    { target: 'ok' },
                        enable:    { target: 'ok' },
                        disable:   { target: 'disabled', actions: 'forget' } } },
    'pending':  { on: { breached:  { target: 'firing', guard: 'heldLongEnough', actions: ['noteFiring', 'tellFiring'] },
                        cleared:   { target: 'ok', actions: 'forget' },
                        change:    { target: 'ok', actions: ['forget', 'takeSettings'] },
                        rename:    { target: 'pending' },
                        enable:    { target: 'pending' },
                        disable:   { target: 'disabled', actions: 'forget' } } },
    'firing':   { on: { cleared:  [{ target: 'ok', guard: 'endsAtOnce', actions: ['tellResolved', 'forget'] },
                                   { target: 'cooling', actions: 'noteOver' }],
                        change:    { target: 'ok', actions: ['tellResolved', 'forget', 'takeSettings'] },
                        rename:    { target: 'firing' },
                        enable:    { target: 'firing' },
                        disable:   { target: 'disabled', actions: ['tellResolved', 'forget'] } } },
    'cooling':  { on: { breached:  { target: 'firing', actions: 'noteBack' },
                        cleared:   { target: 'ok', guard: 'overLongEnough', actions: ['tellResolved', 'forget'] },
                        change:    { target: 'ok', actions: ['tellResolved', 'forget', 'takeSettings'] },
                        rename:    { target: 'cooling' },
                        enable:    { target: 'cooling' },
                        disable:   { target: 'disabled', actions: ['tellResolved', 'forget'] } } },
    'disabled': { on: { enable:    { target: 'ok' },
                        rename:    { target: 'disabled' },
                        change:    { target: 'disabled', actions: 'takeSettings' },
                        disable:   { target: 'disabled' } } },
  },
})

const path = '/api/v1/alert-rules/{alertRuleId}'

/** Descriptions of the alert's statechart. */
export const alertChart = {
  title: 'Alert',
  about:
    'A rule, and whether its condition holds. It is `pending` until the condition has held for `holdMinutes`, then ' +
    '`firing`, and `cooling` until the condition has been over for `resolveAfterMinutes`. An alert notifies once that it ' +
    'fires and once that it is resolved. A change of the condition or of the times starts it again.',
  machine: alertMachine,
  input: { holdMs: 0, coolDownMs: 300_000 },
  events: {
    create: { by: 'command', says: '`POST /api/v1/alert-rules`.' },
    breached: { by: 'server', says: 'The condition holds. The server evaluates it once a minute.' },
    cleared: { by: 'server', says: 'The condition does not hold.' },
    change: { by: 'command', says: `\`PATCH ${path}\` with another condition, or other times.` },
    rename: { by: 'command', says: `\`PATCH ${path}\` with only another name, or other recipients.` },
    disable: { by: 'command', says: `\`PATCH ${path}\` with \`enabled: false\`; also before the rule is deleted.` },
    enable: { by: 'command', says: `\`PATCH ${path}\` with \`enabled: true\`.` },
  },
  guards: {
    firesAtOnce: 'The rule has no `holdMinutes`.',
    heldLongEnough: 'The condition has held for `holdMinutes`.',
    endsAtOnce: 'The rule has no `resolveAfterMinutes`.',
    overLongEnough: 'The condition has been over for `resolveAfterMinutes`.',
  },
  deadlines: {},
  effects: {
    tellFiring: 'Records `alert.firing` for webhooks and sends mails, as the rule selects.',
    tellResolved: 'Records `alert.resolved` for webhooks and sends mails, as the rule selects.',
  },
} satisfies ChartOf<typeof alertMachine>
