/** Renders a plan for the terminal. */
import type { ApplyPlan } from '../../sdk/src/index.ts'
import { cut, oneLine, styled } from '../terminal/text.ts'

type Change = ApplyPlan['changes'][number]

const signs = {
  create: ['green', '+'],
  revise: ['yellow', '~'],
  update: ['yellow', '~'],
  remove: ['red', '-'],
  unchanged: ['dim', ' '],
} as const

const valueMax = 60

export const changedIn = ({ changes }: Pick<ApplyPlan, 'changes'>): Change[] =>
  changes.filter(({ action }) => action !== 'unchanged')

/** A value on one line; nothing for a hidden value. */
const shown = (value: unknown) => cut(oneLine(typeof value === 'string' ? value : JSON.stringify(value)), valueMax)

function linesOf({ action, kind, name, differences }: Change): string[] {
  const [colour, sign] = signs[action]
  return [
    `  ${styled(colour, `${sign} ${action} ${kind} ${oneLine(name)}`)}`,
    ...differences.map(({ path, before, after }) => {
      const values = [before, after].filter((value) => value !== undefined).map(shown)
      return styled('dim', `      ${path}${values.length > 0 ? `: ${values.join(' → ')}` : ''}`)
    }),
  ]
}

/** `2 to create, 1 to change`; undefined if there are no changes. */
export function countsIn(plan: Pick<ApplyPlan, 'changes'>): string | undefined {
  const changed = changedIn(plan)
  const count = (...actions: Change['action'][]) => changed.filter(({ action }) => actions.includes(action)).length
  const counts = [
    [count('create'), 'to create'],
    [count('revise', 'update'), 'to change'],
    [count('remove'), 'to remove'],
  ] as const
  const parts = counts.flatMap(([number, what]) => (number > 0 ? [`${number} ${what}`] : []))
  return parts.length > 0 ? parts.join(', ') : undefined
}

/** All changes, and their number. */
export const planText = (plan: Pick<ApplyPlan, 'changes'>): string =>
  [...changedIn(plan).flatMap(linesOf), countsIn(plan) ? `${countsIn(plan)}.` : 'Nothing to change.'].join('\n')
