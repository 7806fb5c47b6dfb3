/** Replays a journal: play, step, seek, and return to live. */
import { useId } from 'react'
import type { JournalRow } from '../../../charts/lit.ts'
import { type Speed, speeds } from '../../../charts/pace.ts'
import type { Replay } from '../../../charts/replay.ts'
import { Tool } from '../../../charts/tool.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Time } from '../../../ui/time.tsx'
import { whoText } from './who.ts'

export function ReplayBar({ replay, row }: { replay: Replay; row: JournalRow | undefined }) {
  const { mode, position, first, last, speed } = replay
  const sliderId = useId()
  if (last === 0) return null
  return (
    <section className="replay" aria-label="Replay">
      <div className="replay-controls">
        <Tool
          label="Back one transition"
          icon="previous"
          disabled={position <= first}
          onClick={() => replay.step(-1)}
        />
        {mode === 'playing' ? (
          <Tool label="Pause" icon="pause" onClick={replay.pause} />
        ) : (
          <Tool label="Play the journal" icon="play" disabled={first === last} onClick={replay.play} />
        )}
        <Tool label="Forward one transition" icon="next" disabled={position >= last} onClick={() => replay.step(1)} />
        <label className="visually-hidden" htmlFor={sliderId}>
          Journal entry
        </label>
        <input
          id={sliderId}
          className="replay-slider"
          type="range"
          min={first}
          max={last}
          value={position}
          disabled={first === last}
          aria-valuetext={row ? `${row.sequence}: ${row.event}, ${row.to}` : String(position)}
          onChange={({ target }) => replay.goTo(Number(target.value))}
        />
        <select
          className="replay-speed"
          aria-label="Speed"
          value={speed}
          onChange={({ target }) => replay.setSpeed(Number(target.value) as Speed)}
        >
          {speeds.map((one) => (
            <option key={one} value={one}>
              {one}×
            </option>
          ))}
        </select>
        <Button
          small
          tone={mode === 'live' ? 'primary' : 'plain'}
          aria-pressed={mode === 'live'}
          onClick={replay.toLive}
        >
          Now
        </Button>
      </div>
      {row && (
        <p className="replay-row">
          <span className="number faint">
            {position} of {last}
          </span>
          <code>{row.event}</code>
          <span>
            {row.from === null ? 'started in ' : row.from === row.to ? 'stayed in ' : `${row.from} → `}
            <strong>{row.to}</strong>
          </span>
          <span className="faint">{whoText(row.actor)}</span>
          <Time at={row.at} />
          {row.reason && <span className="replay-reason">{row.reason.message}</span>}
        </p>
      )}
    </section>
  )
}
