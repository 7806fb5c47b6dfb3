/** Publishes the next revision of an Agent, from a form or JSON. */
import { useState } from 'react'
import type { RevisionRequest } from '../../../authoring/agents/revision-request.ts'
import type { Agent, AgentRevision } from '../../../authoring/agents/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { textOf } from '../../ui/text/json-text.ts'
import { useDraft } from '../revisions/drafts/use-draft.ts'
import { PublishRevision } from '../revisions/publish.tsx'
import { changesOf } from '../revisions/revised.ts'
import { draftIn, firstDraft } from './draft.ts'
import { DraftForm } from './draft-form.tsx'
import { useRevisionTrial } from './use-revision-trial.tsx'

interface PublishProps {
  agent: Agent
  latest: AgentRevision | undefined
  published: (revision: { number: number }) => void
}

export function Publish({ agent, latest, published }: PublishProps) {
  const api = useApi()
  const { projectId, id: agentId } = agent
  const publish = useAction(
    (body: RevisionRequest) => api.v1.projects({ projectId }).agents({ agentId }).revisions.post(body),
    {
      success: ({ number }) => `Revision ${number} published`,
      changes: changesOf('agents', projectId),
      done: published,
      quiet: true,
    },
  )
  const [begin] = useState<unknown>(() =>
    latest ? { content: latest.content, grantedOperations: latest.grantedOperations } : firstDraft(agent.name),
  )
  const kept = useDraft(agentId, latest, begin)
  const [draft, setDraft] = useState(kept.value)
  const trial = useRevisionTrial(agent, latest, begin, draft)
  return (
    <PublishRevision
      latest={latest}
      begin={begin}
      kept={kept}
      onDraft={setDraft}
      trial={trial}
      label="Revision as JSON"
      at="/body"
      action={publish}
      form={(text, onChange, issues) => {
        const draft = draftIn(text)
        if (!draft) return <p className="faint">The form cannot show this draft. Edit it as JSON.</p>
        return <DraftForm draft={draft} onChange={(next) => onChange(textOf(next))} issues={issues} />
      }}
    />
  )
}
