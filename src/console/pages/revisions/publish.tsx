/** Publishes the next revision, edited in a form or as JSON, with a diff against the latest. */
import { type ReactNode, useRef, useState } from 'react'
import { readJson } from '../../../platform/http/body/json-lines.ts'
import type { Issue } from '../../api/failure.ts'
import { counted } from '../../ui/counted.ts'
import { FailureText } from '../../ui/failure-text.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Diff } from '../../ui/text/diff.tsx'
import { JsonEditor } from '../../ui/text/json-editor.tsx'
import { textOf } from '../../ui/text/json-text.ts'
import { DraftNote } from './drafts/draft-note.tsx'
import type { KeptState } from './drafts/use-draft.ts'
import type { Doing, Revision } from './revised.ts'

type Way = 'form' | 'json' | 'changes'

interface PublishProps {
  latest: Revision | undefined
  /** The latest revision, or a valid first draft. */
  begin: unknown
  /** The draft saved by this browser; provides the initial text. */
  kept: KeptState
  /** Overrides the initial text, such as for an import. */
  imported?: unknown
  /** Accessible name of the editor. */
  label: string
  /** JSON pointer of the text in the request. */
  at: string
  /** Publishes the draft; use `quiet: true`, because failures are shown here. */
  action: Doing<[value: unknown]>
  /** Form that edits the text. */
  form?: (text: string, onChange: (text: string) => void, issues: Issue[]) => ReactNode
  /** Called with each version of the draft while it is edited; undefined for invalid JSON. */
  onDraft?: (value: unknown) => void
  /** The server's validation of the draft. */
  trial?: Trial
}

/** A draft that the server has validated. */
export interface Trial {
  issues: Issue[]
  /** The effects of publishing the draft. */
  shown: ReactNode
}

const untried: Trial = { issues: [], shown: null }

export function PublishRevision(props: PublishProps) {
  const { latest, begin, kept, imported, label, at, action, form, onDraft, trial = untried } = props
  const [text, setText] = useState(() => (imported === undefined ? kept.text : textOf(imported)))
  const [way, setWay] = useState<Way>(form ? 'form' : 'json')
  const { value, fault } = readJson(text)
  const typed = useRef(text)
  const change = (text: string) => {
    setText(text)
    typed.current = text
    kept.keep(text)
    onDraft?.(readJson(text).value)
    // its issues apply only to the text that was sent
    if (action.failure) action.reset()
  }
  const discard = () => {
    change(textOf(begin))
    kept.discard()
    action.reset()
  }
  const publish = async () => {
    const published = (await action.run(value)) !== undefined
    // what was typed meanwhile is the next draft
    if (published && typed.current === text) kept.discard()
  }
  const { failure } = action
  const issues = trial.issues.length > 0 ? trial.issues : action.issues
  const number = (latest?.number ?? 0) + 1
  const ways: { value: Way; title: string; there: boolean }[] = [
    { value: 'form', title: 'Form', there: form !== undefined },
    { value: 'json', title: 'JSON', there: true },
    { value: 'changes', title: 'Changes', there: latest !== undefined },
  ]
  const options = ways.filter(({ there }) => there)
  return (
    <div className="stack">
      <div className="section-head">
        {options.length > 1 && <Segments label="Editor" value={way} onChoose={setWay} options={options} />}
        <span className="faint">Becomes revision {number}, which is immutable.</span>
      </div>
      <DraftNote draft={kept} latest={latest?.number} onDiscard={discard} onTake={change} />
      {failure && (
        <div className="banner banner-bad" role="alert">
          {action.issues.length > 0 ? (
            <span>{counted(action.issues.length, 'problem')}: not published.</span>
          ) : (
            <FailureText failure={failure} />
          )}
        </div>
      )}
      {way !== 'changes' && (
        <div className={trial.shown ? 'draft' : undefined}>
          {way === 'form' ? (
            form?.(text, change, issues)
          ) : (
            <JsonEditor label={label} value={text} onChange={change} issues={issues} at={at} rows={26} />
          )}
          {trial.shown}
        </div>
      )}
      {way === 'changes' && latest && (
        <Diff label={`Against revision ${latest.number}`} before={begin} after={value ?? text} />
      )}
      <footer className="form-actions">
        <Button tone="primary" pending={action.pending} disabled={fault !== undefined} onClick={() => void publish()}>
          Publish revision {number}
        </Button>
        <Button tone="quiet" onClick={discard}>
          Reset
        </Button>
      </footer>
    </div>
  )
}
