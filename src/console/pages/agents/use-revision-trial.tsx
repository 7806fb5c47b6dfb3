/** Lets the server validate a draft of a revision while it is edited, and shows the changes it would make. */
import type { RevisionRequest } from '../../../authoring/agents/revision-request.ts'
import type { Agent, AgentRevision } from '../../../authoring/agents/schema.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { useSettled } from '../../data/use-settled.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { counted } from '../../ui/counted.ts'
import { FailureText } from '../../ui/failure-text.tsx'
import { Diff } from '../../ui/text/diff.tsx'
import type { Trial } from '../revisions/publish.tsx'

/** Delay after the last key. */
const pauseMs = 350

export function useRevisionTrial(
  agent: Agent,
  latest: AgentRevision | undefined,
  begin: unknown,
  draft: unknown,
): Trial {
  const api = useApi()
  const { projectId, id: agentId } = agent
  const text = useSettled(draft === undefined ? null : JSON.stringify(draft), pauseMs)
  const isObject = text?.startsWith('{') ?? false
  const preview = useResource(isObject ? ['agents', projectId, agentId, 'preview', text] : null, (options) =>
    api.v1
      .projects({ projectId })
      .agents({ agentId })
      .revisions.preview.post(JSON.parse(text ?? '') as RevisionRequest, options),
  )
  const { failure, value } = preview
  const issues = failure?.status === 422 ? failure.issues : []
  const resultText = () => {
    if (issues.length > 0) return <StateBadge state={counted(issues.length, 'problem')} tone="bad" />
    if (value)
      return <StateBadge state={value.isLatest ? 'unchanged' : 'valid'} tone={value.isLatest ? 'idle' : 'good'} />
    return <StateBadge state={draft === undefined ? 'invalid JSON' : 'checking'} tone="idle" />
  }
  const shown = (
    <section className="draft-trial" aria-label="Changes of this draft">
      <header className="section-head">
        <h2>{latest ? `Changes since revision ${latest.number}` : 'The first revision'}</h2>
        <span role="status">{resultText()}</span>
      </header>
      {failure && issues.length === 0 && (
        <div className="banner banner-warning">
          <FailureText failure={failure} />
        </div>
      )}
      {draft !== undefined && <Diff label="Changes" before={latest ? begin : undefined} after={draft} />}
    </section>
  )
  return { issues, shown }
}
