/** The next revision of an Agent: written in a form or as JSON, and published. */
import { useState } from 'react'
import type { RevisionRequest } from '../../../agents/revision-request.ts'
import type { Agent, AgentRevision } from '../../../agents/schema.ts'
import { describeFailure, useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { Button } from '../../ui/button.tsx'
import { counted } from '../../ui/counted.ts'
import { Diff } from '../../ui/diff.tsx'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { readJson } from '../../ui/json-text.ts'
import { Segments } from '../../ui/segments.tsx'
import { draftIn, firstDraft, textOf } from './draft.ts'
import { DraftForm } from './draft-form.tsx'

interface PublishProps {
  agent: Agent
  latest: AgentRevision | undefined
  published: () => void
}

export function Publish({ agent, latest, published }: PublishProps) {
  const api = useApi()
  const { projectId, id: agentId } = agent
  const begin = latest
    ? { content: latest.content, grantedOperations: latest.grantedOperations }
    : firstDraft(agent.name)
  const [text, setText] = useState(() => textOf(begin))
  const [way, setWay] = useState<'form' | 'json' | 'changes'>('form')
  const publish = useAction(
    (body: RevisionRequest) => api.v1.projects({ projectId }).agents({ agentId }).revisions.post(body),
    {
      success: ({ number }) => `Revision ${number} is published`,
      changes: [
        ['agents', projectId],
        ['parts', projectId],
      ],
      done: published,
      quiet: true,
    },
  )
  const draft = draftIn(text)
  const isJson = readJson(text).fault === undefined
  const { failure, issues } = publish
  return (
    <div className="stack">
      <div className="section-head">
        <Segments
          label="How to write"
          value={way}
          onChoose={setWay}
          options={[
            { value: 'form', title: 'Form' },
            { value: 'json', title: 'JSON' },
            ...(latest ? [{ value: 'changes' as const, title: 'What changes' }] : []),
          ]}
        />
        <span className="faint">Becomes revision {(latest?.number ?? 0) + 1}, and never changes then.</span>
      </div>
      {failure && (
        <div className="banner banner-bad" role="alert">
          <span>
            {issues.length > 0
              ? `${counted(issues.length, 'problem')}: nothing was published.`
              : describeFailure(failure).text}
          </span>
        </div>
      )}
      {way === 'json' && (
        <JsonEditor label="The revision" value={text} onChange={setText} issues={issues} at="/body" rows={26} />
      )}
      {way === 'changes' && latest && (
        <Diff label={`Against revision ${latest.number}`} before={begin} after={readJson(text).value ?? text} />
      )}
      {way === 'form' &&
        (draft ? (
          <DraftForm draft={draft} onChange={(next) => setText(textOf(next))} issues={issues} />
        ) : (
          <p className="faint">This has a shape that the form cannot show. Go on as JSON.</p>
        ))}
      <footer className="form-actions">
        <Button
          tone="primary"
          pending={publish.pending}
          disabled={!isJson}
          onClick={() => publish.run(JSON.parse(text) as RevisionRequest)}
        >
          Publish revision {(latest?.number ?? 0) + 1}
        </Button>
        <Button
          tone="quiet"
          onClick={() => {
            setText(textOf(begin))
            publish.reset()
          }}
        >
          Begin again
        </Button>
      </footer>
    </div>
  )
}
