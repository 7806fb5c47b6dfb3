/** Form for a new Release; all Agents and Definitions at their newest revisions by default. */
import { useState } from 'react'
import type { DelegateAttachment, NewRelease as Request } from '../../../authoring/releases/schema.ts'
import type { ApiFailure, Issue } from '../../api/failure.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at, projectOf } from '../../places.ts'
import { FailureText } from '../../ui/failure-text.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { FormActions } from '../../ui/forms/form.tsx'
import { Notice, Shown } from '../../ui/states.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { type Parts, useParts } from '../delivery/parts.ts'
import { Attachments } from './attachments.tsx'
import { type Choice, PinChoices } from './pin-choices.tsx'
import './releases.css'

export function NewRelease() {
  const { projectId } = useIds('projectId')
  const parts = useParts(projectId)
  return (
    <Shown resource={parts}>
      {({ agents, definitions, nameOf }) =>
        agents && definitions ? (
          <Choose parts={{ agents, definitions, nameOf }} />
        ) : (
          <Notice icon="lock" title="Access denied">
            <p>You need the permissions agents:list and definitions:list.</p>
          </Notice>
        )
      }
    </Shown>
  )
}

type AllParts = { [Name in keyof Parts]: NonNullable<Parts[Name]> }

const latestOf = (things: readonly { id: string; latestRevisionId: string | null }[]): Choice =>
  Object.fromEntries(things.map(({ id, latestRevisionId }) => [id, latestRevisionId]))

const chosen = (choice: Choice): [id: string, revisionId: string][] =>
  Object.entries(choice).flatMap(([id, revisionId]) => (revisionId === null ? [] : [[id, revisionId]]))

function Choose({ parts }: { parts: AllParts }) {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const [agents, setAgents] = useState(() => latestOf(parts.agents))
  const [definitions, setDefinitions] = useState(() => latestOf(parts.definitions))
  const [attachments, setAttachments] = useState<DelegateAttachment[]>([])
  const [description, setDescription] = useState('')
  const create = useAction((body: Request) => api.v1.projects({ projectId }).releases.post(body), {
    success: ({ number }) => `Release ${number} created`,
    changes: [['releases', projectId]],
    opens: ({ id }) => at(projectOf(place), 'releases', id),
    quiet: true,
  })
  const request: Request = {
    agents: chosen(agents).map(([agentId, agentRevisionId]) => ({ agentId, agentRevisionId })),
    definitions: chosen(definitions).map(([definitionId, definitionRevisionId]) => ({
      definitionId,
      definitionRevisionId,
    })),
    ...(attachments.length > 0 && { delegateAttachments: attachments }),
    ...(description.trim() && { description: description.trim() }),
  }
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        void create.run(request)
      }}
    >
      {create.failure && <Refused failure={create.failure} request={request} nameOf={parts.nameOf} />}
      <div className="field">
        <label htmlFor="release-description">Description</label>
        <input
          id="release-description"
          type="text"
          autoComplete="off"
          value={description}
          placeholder="Optional"
          onChange={({ target }) => setDescription(target.value)}
        />
      </div>
      <div className="pins">
        <PinChoices title="Agents" kind="agents" things={parts.agents} choice={agents} onChoose={setAgents} />
        <PinChoices
          title="Definitions"
          kind="definitions"
          things={parts.definitions}
          choice={definitions}
          onChoose={setDefinitions}
        />
      </div>
      <Attachments
        agents={parts.agents.filter(({ id }) => agents[id])}
        attachments={attachments}
        onChange={setAttachments}
      />
      {request.agents.length === 0 && <p className="field-hint">Choose at least one Agent.</p>}
      <FormActions>
        <Button
          needs="deployments:create"
          type="submit"
          tone="primary"
          pending={create.pending}
          disabled={request.agents.length === 0}
        >
          Create release
        </Button>
      </FormActions>
    </form>
  )
}

interface RefusedProps {
  failure: ApiFailure
  request: Request
  nameOf: (id: string) => string
}

/** `/body/agents/0/content/tools/1/operation` → `Support desk` and the path in it. */
function placeOf({ path }: Issue, { agents, definitions = [] }: Request, nameOf: (id: string) => string) {
  const [, , list, place = '', ...rest] = path.split('/')
  const pinned = list === 'agents' ? agents[Number(place)]?.agentId : definitions[Number(place)]?.definitionId
  const isPin = (list === 'agents' || list === 'definitions') && pinned !== undefined
  return isPin ? { name: nameOf(pinned), where: rest.join('/') } : { name: '', where: path.slice('/body/'.length) }
}

const Refused = ({ failure, request, nameOf }: RefusedProps) => (
  <div className="refused" role="alert">
    <p>
      {failure.issues.length === 0 ? (
        <FailureText failure={failure} />
      ) : failure.code === 'unresolved_reference' ? (
        'Some references are not pinned. Include their targets, or fix the revision.'
      ) : (
        'These revisions cannot be released together.'
      )}
    </p>
    <ul>
      {failure.issues.map((issue) => {
        const { name, where } = placeOf(issue, request, nameOf)
        return (
          <li key={issue.path + issue.message}>
            {name && <strong>{name}</strong>} {where && <code>{where}</code>} {issue.message}
          </li>
        )
      })}
    </ul>
  </div>
)
