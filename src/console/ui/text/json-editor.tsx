/** A JSON text area with line numbers, and issues at their lines. */
import { useId, useMemo, useRef } from 'react'
import type { Issue } from '../../api/failure.ts'
import { Icon } from '../icon.tsx'
import './json-editor.css'
import { readJson } from '../../../platform/http/body/json-lines.ts'
import { lineOf } from './json-text.ts'

interface JsonEditorProps {
  label: string
  value: string
  onChange: (text: string) => void
  /** API issues; those below `at` concern this text. */
  issues?: readonly Issue[]
  /** JSON pointer of the text in the request: `/body/source`. */
  at?: string
  rows?: number
}

export function JsonEditor({ label, value, onChange, issues = [], at = '', rows = 22 }: JsonEditorProps) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const text = useMemo(() => readJson(value), [value])
  const count = value.split('\n').length
  const found = text.fault
    ? [{ line: text.fault.line, path: '', message: text.fault.message }]
    : issues
        .filter(({ path }) => path === at || path.startsWith(`${at}/`))
        .map(({ path, message }) => ({
          line: lineOf(text, path.slice(at.length)),
          path: path.slice(at.length),
          message,
        }))
  const marked = new Set(found.map(({ line }) => line))

  function goTo(line: number) {
    const element = area.current
    if (!element) return
    const before = value.split('\n').slice(0, line - 1)
    const from = before.reduce((sum, { length }) => sum + length + 1, 0)
    const to = value.indexOf('\n', from)
    element.focus()
    element.setSelectionRange(from, to === -1 ? value.length : to)
    element.scrollTop = Math.max(0, (line - 4) * (element.scrollHeight / count))
  }

  return (
    <div className="json-editor">
      <label htmlFor={id}>{label}</label>
      {found.length > 0 && (
        <ul id={`${id}-issues`} className="json-editor-issues" aria-label={`Problems of ${label}`}>
          {found.map(({ line, path, message }) => (
            <li key={`${line} ${path} ${message}`}>
              <button type="button" onClick={() => goTo(line)}>
                <Icon name="warning" />
                <span className="number">Line {line}</span>
                {path && <code>{path}</code>}
                <span>{message}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="json-editor-frame" data-invalid={found.length > 0 || undefined}>
        <div className="json-editor-gutter" aria-hidden="true">
          <div ref={gutter}>
            {Array.from({ length: count }, (_, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
              <span key={place} data-marked={marked.has(place + 1) || undefined}>
                {place + 1}
              </span>
            ))}
          </div>
        </div>
        <textarea
          ref={area}
          id={id}
          value={value}
          rows={rows}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-invalid={found.length > 0 || undefined}
          aria-describedby={found.length > 0 ? `${id}-issues` : undefined}
          onChange={({ target }) => onChange(target.value)}
          onScroll={({ currentTarget }) => {
            if (gutter.current) gutter.current.style.transform = `translateY(-${currentTarget.scrollTop}px)`
          }}
        />
      </div>
    </div>
  )
}
