/** Form fields for a revision; everything else is edited as JSON. */
import { useState } from 'react'
import type { Issue } from '../../api/failure.ts'
import { Tag } from '../../ui/badge.tsx'
import { Labelled } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { modelProviders } from '../settings/provider-credentials/credential-words.ts'
import './agents.css'
import { type Draft, withBuiltin, withField, withGrants, withModel } from './draft.ts'

const builtins = ['clock', 'calculator', 'echo', 'fetch', 'json', 'time'] as const
const about = {
  clock: 'the current time',
  calculator: 'exact arithmetic',
  echo: 'returns its input, for a first test',
  fetch: 'web pages as text',
  json: 'JSON queries with JMESPath',
  time: 'dates, durations and time zones',
}

interface DraftFormProps {
  draft: Draft
  onChange: (draft: Draft) => void
  issues: readonly Issue[]
}

export function DraftForm({ draft, onChange, issues }: DraftFormProps) {
  const { content, grantedOperations = [] } = draft
  const granted = grantedOperations.join('\n')
  const [typed, setTyped] = useState(granted)
  const grantsIn = (lines: string) => withGrants(draft, lines).grantedOperations?.join('\n')
  const tools = content.tools ?? []
  const others = tools.filter(({ kind }) => kind !== 'builtin')
  const placed = [
    '/body/content/instructions',
    '/body/content/model',
    '/body/content/maxSteps',
    '/body/grantedOperations',
  ]
  const elsewhere = issues.filter(({ path }) => !placed.some((place) => path.startsWith(place)))
  const at = (place: string) => ({
    issues: issues.filter(({ path }) => path === place || path.startsWith(`${place}/`)),
  })
  return (
    <div className="panel">
      {elsewhere.length > 0 && (
        <ul className="field-issues" aria-label="Other problems">
          {elsewhere.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path.slice('/body'.length)}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <Labelled {...at('/body/content/instructions')} label="Instructions" hint="The system prompt of the Agent.">
        {(wiring) => (
          <textarea
            {...wiring}
            rows={16}
            value={typeof content.instructions === 'string' ? content.instructions : ''}
            onChange={({ target }) => onChange(withField(draft, 'instructions', target.value))}
          />
        )}
      </Labelled>
      <div className="draft-columns">
        <Labelled {...at('/body/content/model/provider')} label="Provider">
          {(wiring) => (
            <select
              {...wiring}
              value={content.model?.provider ?? ''}
              onChange={({ target }) => onChange(withModel(draft, 'provider', target.value))}
            >
              <option value="">Platform default</option>
              <Options of={modelProviders} />
            </select>
          )}
        </Labelled>
        <Labelled {...at('/body/content/model/model')} label="Model">
          {(wiring) => (
            <input
              {...wiring}
              type="text"
              placeholder="Provider default"
              value={content.model?.model ?? ''}
              onChange={({ target }) => onChange(withModel(draft, 'model', target.value))}
            />
          )}
        </Labelled>
        <Labelled {...at('/body/content/maxSteps')} label="Maximum steps">
          {(wiring) => (
            <input
              {...wiring}
              type="number"
              min={1}
              max={100}
              placeholder="20"
              value={content.maxSteps ?? ''}
              onChange={({ target }) =>
                onChange(withField(draft, 'maxSteps', target.value === '' ? undefined : Number(target.value)))
              }
            />
          )}
        </Labelled>
      </div>
      <fieldset className="draft-tools">
        <legend>Tools</legend>
        {builtins.map((name) => (
          <label key={name} className="draft-tool">
            <input
              type="checkbox"
              checked={tools.some((tool) => tool.kind === 'builtin' && tool.name === name)}
              onChange={({ target }) => onChange(withBuiltin(draft, name, target.checked))}
            />
            <span>
              {name} <span className="faint">{about[name]}</span>
            </span>
          </label>
        ))}
        {others.length > 0 && (
          <p className="row">
            <span className="faint">Also set as JSON:</span>
            {others.map(({ name }) => (
              <Tag key={String(name)}>{String(name)}</Tag>
            ))}
          </p>
        )}
      </fieldset>
      <Labelled
        {...at('/body/grantedOperations')}
        label="Granted operations"
        hint="One per line: a permission, or definition.operation."
      >
        {(wiring) => (
          <textarea
            {...wiring}
            className="draft-grants"
            rows={Math.min(10, Math.max(3, grantedOperations.length + 1))}
            spellCheck={false}
            // as it is typed, with the line that has just begun, while the draft has these lines
            value={grantsIn(typed) === granted ? typed : granted}
            onChange={({ target }) => {
              setTyped(target.value)
              onChange(withGrants(draft, target.value))
            }}
          />
        )}
      </Labelled>
    </div>
  )
}
