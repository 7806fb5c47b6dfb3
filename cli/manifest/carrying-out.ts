/** Requests plans and Applies from a server, and follows them to their end. */
import { ApiError, type Apply, type ApplyPlan, type NewApply, type Troupe } from '../../sdk/src/index.ts'
import type { Context } from '../context.ts'
import { CommandError } from '../terminal/exit-codes.ts'
import type { Manifest } from './file.ts'

export type Kind = NewApply['environment']

const pollMs = 150

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404

/** Whether the server has no Applies at all, so that the 404 is not about the Project. */
async function isOld(troupe: Troupe): Promise<boolean> {
  try {
    await troupe.applies.list({ limit: 1 })
    return false
  } catch (error) {
    return isMissing(error)
  }
}

/** The plan of a manifest. */
export async function planOf(
  context: Context,
  troupe: Troupe,
  body: { manifest: Manifest; environment: Kind; prune?: boolean },
): Promise<ApplyPlan> {
  try {
    return await troupe.applies.plan(body as Parameters<Troupe['applies']['plan']>[0], { signal: context.signal })
  } catch (error) {
    if (!isMissing(error) || !(await isOld(troupe))) throw error
    throw new CommandError(
      'refused',
      'server_too_old',
      `The server at ${context.url} is older than this command line.`,
      ['It does not support manifests: upgrade it.'],
    )
  }
}

/** Throws all issues, each with its path in the manifest. */
export function assertSound({ issues }: Pick<ApplyPlan, 'issues'>, from: string): void {
  if (issues.length === 0) return
  const count = issues.length === 1 ? 'a problem' : `${issues.length} problems`
  const hints = issues.map(({ path, message }) => `${path}: ${message}`)
  throw new CommandError('refused', 'plan_has_issues', `${from} has ${count}; nothing was changed.`, hints)
}

/** Waits for the end of an Apply. Throws unless it is `applied`. */
export async function carriedOut(context: Context, troupe: Troupe, begun: Apply): Promise<Apply> {
  const { id } = begun
  context.interruption.begun(id, `${id} goes on: troupe chart apply ${id} follows it.`)
  const ended = await context.output.wait(`Applying (${id})`, async () => {
    let apply = begun
    while (apply.endedAt === null) {
      await context.interruption.sleep(pollMs)
      apply = await troupe.applies.get({ applyId: id }, { signal: context.signal })
    }
    return apply
  })
  context.interruption.ended(id)
  if (ended.state === 'applied') return ended
  const { code, message } = ended.stateReason ?? { code: ended.state, message: `It is ${ended.state}.` }
  throw new CommandError('unsuccessful', code, `${id} did not succeed: ${message}`, [
    'The earlier Deployment stays active.',
  ])
}
