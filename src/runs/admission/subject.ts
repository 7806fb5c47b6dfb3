/** The user for whom an API key runs an Agent. Source: requirement 4.14, "Start a run". */
import { ApiError, permissionDenied } from '../../platform/http/answers/errors.ts'
import { may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'

export type IsMember = (organizationId: string, userId: string) => boolean | Promise<boolean>

/** Throws `invalid_subject` (400) and `permission_denied` (403) unless the caller may act for this user in the Project. */
export async function assertSubject(
  caller: Caller,
  projectId: string | null,
  userId: string,
  isMember: IsMember,
): Promise<void> {
  const refuse = (message: string) => new ApiError(400, 'invalid_subject', message)
  if (caller.principal.type !== 'apiKey') throw refuse('`subjectUserId` takes an API key.')
  if (!may(caller, 'agent-runs:personalize', projectId)) throw permissionDenied('agent-runs:personalize')
  if (!(await isMember(caller.organizationId, userId))) {
    throw refuse('`subjectUserId` is not a member of the organization.')
  }
}
