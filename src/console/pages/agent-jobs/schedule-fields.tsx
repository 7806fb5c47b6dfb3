/** Schedule of a job: a cron pattern, with presets, and its time zone. */
import { Suspense, useId, useMemo, useState } from 'react'
import { lazyPart } from '../../lazy-part.ts'
import { TextField } from '../../ui/forms/form.tsx'
import { Loading } from '../../ui/states.tsx'

/** In a form, which reloading the page would empty. */
const NoPreview = () => <p className="faint">The preview could not be loaded. The server checks the schedule.</p>

const SchedulePreview = lazyPart(() => import('./schedule-preview.tsx'), NoPreview)

const patterns = [
  ['Every hour', '0 * * * *'],
  ['Every day', '0 8 * * *'],
  ['Workdays', '0 8 * * MON-FRI'],
  ['Every week', '0 8 * * MON'],
  ['Every month', '0 8 1 * *'],
] as const

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** As known to the browser; not all browsers include `UTC`. */
const zones = (): string[] => [...new Set(['UTC', ...(Intl.supportedValuesOf?.('timeZone') ?? [])])]

export function ScheduleFields({ cron: first = '', timezone: firstZone }: { cron?: string; timezone?: string }) {
  const listId = useId()
  const [cron, setCron] = useState(first)
  const [timezone, setTimezone] = useState(firstZone ?? ownZone)
  const known = useMemo(zones, [])
  return (
    <fieldset className="stack">
      <legend className="visually-hidden">Schedule</legend>
      <div className="pair">
        <TextField
          name="schedule/cron"
          label="Cron pattern"
          required
          maxLength={200}
          placeholder="30 7 * * MON-FRI"
          spellCheck={false}
          className="cron-input"
          hint="Minute, hour, day of the month, month, day of the week."
          value={cron}
          onChange={({ target }) => setCron(target.value)}
        />
        <TextField
          name="schedule/timezone"
          label="Time zone"
          required
          maxLength={64}
          list={listId}
          spellCheck={false}
          hint="The pattern is evaluated in this time zone."
          value={timezone}
          onChange={({ target }) => setTimezone(target.value)}
        />
        <datalist id={listId}>
          {known.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      <fieldset className="row" aria-label="Presets">
        {patterns.map(([title, pattern]) => (
          <button
            key={pattern}
            type="button"
            className="button button-plain button-small"
            aria-pressed={cron === pattern}
            onClick={() => setCron(pattern)}
          >
            {title}
          </button>
        ))}
      </fieldset>
      <Suspense fallback={<Loading rows={3} label="Loading the preview" />}>
        <SchedulePreview cron={cron} timezone={timezone} />
      </Suspense>
    </fieldset>
  )
}
