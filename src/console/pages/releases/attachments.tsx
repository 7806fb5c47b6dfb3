/** Overrides which Agent a delegate name refers to. */
import { useState } from 'react'
import type { DelegateAttachment } from '../../../authoring/releases/schema.ts'
import { Button, IconButton } from '../../ui/forms/button.tsx'
import { Options } from '../../ui/forms/options.tsx'

interface AttachmentsProps {
  agents: readonly { id: string; name: string }[]
  attachments: readonly DelegateAttachment[]
  onChange: (attachments: DelegateAttachment[]) => void
}

export function Attachments({ agents, attachments, onChange }: AttachmentsProps) {
  const [draft, setDraft] = useState({ agentId: '', name: '', delegateAgentId: '' })
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? id
  const options = <Options of={agents} />
  const complete = draft.agentId !== '' && draft.name.trim() !== '' && draft.delegateAgentId !== ''
  return (
    <details className="release-attachments">
      <summary>
        Delegates {attachments.length > 0 && <span className="faint">{attachments.length} replaced</span>}
      </summary>
      <div className="stack">
        <p className="faint">Delegates are the Agents named in the contents. You can replace them here.</p>
        {attachments.map((attachment) => (
          <div key={`${attachment.agentId} ${attachment.name}`} className="row">
            <span>
              {nameOf(attachment.agentId)}: <code>{attachment.name}</code> is {nameOf(attachment.delegateAgentId)}
            </span>
            <IconButton
              small
              icon="close"
              label={`Remove replacement of ${attachment.name} in ${nameOf(attachment.agentId)}`}
              onClick={() => onChange(attachments.filter((one) => one !== attachment))}
            />
          </div>
        ))}
        <div className="release-attachment">
          <select
            aria-label="Delegating Agent"
            value={draft.agentId}
            onChange={({ target }) => setDraft({ ...draft, agentId: target.value })}
          >
            <option value="">Agent</option>
            {options}
          </select>
          <input
            type="text"
            aria-label="Name of the delegate"
            placeholder="Delegate name"
            value={draft.name}
            onChange={({ target }) => setDraft({ ...draft, name: target.value })}
          />
          <select
            aria-label="Delegate Agent"
            value={draft.delegateAgentId}
            onChange={({ target }) => setDraft({ ...draft, delegateAgentId: target.value })}
          >
            <option value="">Delegate Agent</option>
            {options}
          </select>
          <Button
            icon="plus"
            disabled={!complete}
            onClick={() => {
              const added = { ...draft, name: draft.name.trim() }
              const others = attachments.filter(({ agentId, name }) => agentId !== added.agentId || name !== added.name)
              onChange([...others, added])
              setDraft({ agentId: '', name: '', delegateAgentId: '' })
            }}
          >
            Attach
          </Button>
        </div>
      </div>
    </details>
  )
}
