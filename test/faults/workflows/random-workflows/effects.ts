/** What a run has asked of the shop, against what it says of its steps. */
import type { Run } from '../../../automation/workflows/world.ts'
import type { Received } from '../../../events/webhooks/world.ts'
import { Reference } from '../../../machines/workflow-run/reference/reference.ts'
import type { Unit, Workflow } from '../../../machines/workflow-run/reference/unit.ts'
import { endOf, pathOf } from './ends.ts'

type Shown = Pick<Unit, 'id' | 'kind' | 'of' | 'state' | 'attempts'>

/** The steps, items and compensations of a run, as the reference has them. */
function unitsOf({ steps }: Run, { steps: defined }: Workflow): Shown[] {
  return steps.flatMap(({ stepId: of, state, attempts, elements, compensation }): Shown[] => {
    const hasCompensation = defined.some(({ id, compensate }) => id === of && compensate)
    const { state: undone = 'pending', attempts: tries = 0 } = compensation ?? {}
    return [
      { id: of, kind: 'step', of, state: state as Unit['state'], attempts },
      ...(elements ?? []).map((each): Shown => {
        const { index, attempts: times } = each
        return { id: `${of}.${index}`, kind: 'item', of, state: each.state as Unit['state'], attempts: times }
      }),
      ...(hasCompensation
        ? [
            {
              id: `${of}:compensate`,
              kind: 'compensation',
              of,
              state: undone as Unit['state'],
              attempts: tries,
            } as const,
          ]
        : []),
    ]
  })
}

/** What is wrong with a run that has ended; empty: nothing. */
export function problemsOf(run: Run, name: string, workflow: Workflow, received: readonly Received[]): string[] {
  const reference = new Reference(workflow, 2, 0)
  const units = unitsOf(run, workflow)
  const requestsOf = (unit: Shown) => {
    const path = pathOf(reference, unit as unknown as Unit, name)
    return received.flatMap((each, at) => (each.path === path ? [{ at, key: each.headers['idempotency-key'] }] : []))
  }
  const problems: string[] = []
  for (const unit of units) {
    const step = reference.step(unit.of)
    const { id, state, attempts, kind } = unit
    const requests = requestsOf(unit)
    const isCalled =
      !step.sleep && !step.waitFor && step.operation !== 'shop.approved' && (kind !== 'step' || !step.forEach)
    if (!isCalled) continue
    const invocations = new Set(requests.map(({ key }) => key)).size
    const says = (what: string) =>
      problems.push(`${id} is ${state} at attempt ${attempts}, and ${what}: ${requests.length}`)
    if (state === 'succeeded' && requests.length === 0) says('was not done')
    const isRead = step.operation === 'shop.read'
    if (!isRead && invocations > attempts) says('has more invocations than attempts')
    const isCharge = kind !== 'compensation' && step.operation === 'shop.charge'
    if (isCharge && requests.length > invocations) says('was repeated')
    // a child may be canceled before its step begins, and a charge before it is sent
    if (!isRead && !isCharge && !(step.workflow && kind !== 'compensation') && invocations < attempts)
      says('was forgotten')
    if (attempts === 0 && requests.length > 0) says('was begun')
    for (const before of kind === 'step' ? reference.dependencies(id) : []) {
      const last = Math.max(
        -1,
        ...units
          .filter(({ of, kind: its }) => of === before && its !== 'compensation')
          .flatMap((each) => requestsOf(each).map(({ at }) => at)),
      )
      if (requests.some(({ at }) => at < last)) says(`began before ${before} ended`)
    }
  }
  return [...problems, ...orderProblems(run), ...outputProblems(run, name, workflow, reference)]
}

/** Compensations are done one at a time, that of the step which ended last first. */
function orderProblems({ steps }: Run): string[] {
  const undone = steps
    .flatMap(({ stepId, endedAt, compensation }) =>
      compensation ? [{ stepId, done: endedAt ?? '', ...compensation }] : [],
    )
    .sort((one, other) => ((one.startedAt ?? '') < (other.startedAt ?? '') ? -1 : 1))
  return undone.flatMap(({ stepId, done, startedAt }, place) => {
    const before = undone[place - 1]
    if (!before) return []
    if ((startedAt ?? '') < (before.endedAt ?? '')) return [`${stepId} was compensated while ${before.stepId} was`]
    // one whose outcome became known later is compensated later
    const isEarly = done > before.done && done < (before.startedAt ?? '')
    return isEarly ? [`${before.stepId} was compensated before ${stepId}`] : []
  })
}

function outputProblems(run: Run, name: string, workflow: Workflow, reference: Reference): string[] {
  const expectedOf = (unit: Pick<Unit, 'id' | 'kind' | 'of'>): unknown => {
    const step = reference.step(unit.of)
    if (step.forEach !== undefined && unit.kind === 'step') {
      const items = run.steps.find(({ stepId }) => stepId === unit.id)?.elements ?? []
      return items.map(({ index }) => expectedOf({ id: `${unit.of}.${index}`, kind: 'item', of: unit.of }))
    }
    if (step.operation === 'shop.approved') return { what: `${name}-${unit.id}` }
    if (step.waitFor) return { path: `${name}-${unit.id}` }
    return step.sleep || step.workflow ? null : { path: pathOf(reference, unit as Unit, name) }
  }
  const problems = run.steps.flatMap(({ stepId, state, output }) => {
    const expected = state === 'succeeded' ? expectedOf({ id: stepId, kind: 'step', of: stepId }) : null
    return Bun.deepEquals(output, expected) ? [] : [`${stepId} has the output ${JSON.stringify(output)}`]
  })
  const last = run.steps.at(-1)?.output ?? null
  const expected = run.state === 'completed' ? { last } : null
  if (!Bun.deepEquals(run.output, expected)) problems.push(`the output is ${JSON.stringify(run.output)}`)
  if (run.steps.length !== workflow.steps.length) problems.push('it has other steps')
  return problems
}

/** The end of a run, as `endsOf` has it. */
export const endOfRun = (run: Run, workflow: Workflow): string => endOf(run.state, unitsOf(run, workflow))
