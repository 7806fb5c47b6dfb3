/** Optional settings of a run: model, reasoning, retries, start time. */
import { useId, useState } from 'react'
import { ChoiceControl } from '../../../ui/forms/choice.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { dayMs, instantOf, localOf } from '../../../ui/instants.ts'
import { modelProviders } from '../../settings/provider-credentials/credential-words.ts'

const levels = ['low', 'medium', 'high'] as const
type Level = (typeof levels)[number]

interface Choices {
  provider: string
  model: string
  /** A level, or a number of tokens. */
  reasoning: string
  maxRetries: string
  /** In the form of a `datetime-local` field; empty for now. */
  startAt: string
}

export const noChoices: Choices = { provider: '', model: '', reasoning: '', maxRetries: '', startAt: '' }

const isLevel = (text: string): text is Level => (levels as readonly string[]).includes(text)

/** The part of a start request. */
export function choicesIn({ provider, model, reasoning, maxRetries, startAt }: Choices) {
  const at = instantOf(startAt)
  return {
    ...(provider !== '' && { provider: provider as (typeof modelProviders)[number] }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(reasoning !== '' && { reasoningBudget: isLevel(reasoning) ? reasoning : Number(reasoning) }),
    ...(maxRetries !== '' && { maxRetries: Number(maxRetries) }),
    ...(at !== undefined && { startAt: at }),
  }
}

/** Label of the button that starts the run. */
export const startLabel = ({ startAt }: Choices): string => (instantOf(startAt) === undefined ? 'Start' : 'Start later')

/** The API's limit. */
const daysAhead = 30

export function MoreChoices({ choices, onChange }: { choices: Choices; onChange: (choices: Choices) => void }) {
  const change = (changes: Partial<Choices>) => onChange({ ...choices, ...changes })
  const levelsId = useId()
  const [openedAt] = useState(Date.now)
  return (
    <details className="more-choices">
      <summary>Model, retries, start time</summary>
      <div className="run-filters">
        <ChoiceControl label="Provider" hint="Requires a credential of the organization.">
          {(id) => (
            <select id={id} value={choices.provider} onChange={({ target }) => change({ provider: target.value })}>
              <option value="">As configured</option>
              <Options of={modelProviders} />
            </select>
          )}
        </ChoiceControl>
        <ChoiceControl label="Model" hint="Default: as configured.">
          {(id) => (
            <input
              id={id}
              type="text"
              maxLength={200}
              autoComplete="off"
              value={choices.model}
              onChange={({ target }) => change({ model: target.value })}
            />
          )}
        </ChoiceControl>
        <ChoiceControl label="Reasoning" hint="low, medium, high, or tokens.">
          {(id) => (
            <>
              <input
                id={id}
                type="text"
                list={levelsId}
                autoComplete="off"
                pattern="low|medium|high|[0-9]{1,6}"
                value={choices.reasoning}
                onChange={({ target }) => change({ reasoning: target.value.trim() })}
              />
              <datalist id={levelsId}>
                {levels.map((level) => (
                  <option key={level} value={level} />
                ))}
              </datalist>
            </>
          )}
        </ChoiceControl>
        <ChoiceControl label="Retries" hint="Attempts after the first. Default: 2.">
          {(id) => (
            <input
              id={id}
              type="number"
              min={0}
              max={10}
              value={choices.maxRetries}
              onChange={({ target }) => change({ maxRetries: target.value })}
            />
          )}
        </ChoiceControl>
        <ChoiceControl label="Start later" hint={`Default: now. At most ${daysAhead} days ahead.`}>
          {(id) => (
            <input
              id={id}
              type="datetime-local"
              min={localOf(openedAt)}
              max={localOf(openedAt + daysAhead * dayMs)}
              value={choices.startAt}
              onChange={({ target }) => change({ startAt: target.value })}
            />
          )}
        </ChoiceControl>
      </div>
    </details>
  )
}
