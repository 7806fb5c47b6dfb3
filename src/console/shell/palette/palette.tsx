/** The command palette: finds pages, actions and resources by a part of their names, or by an id. */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'wouter'
import type { Place } from '../../places.ts'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Keys } from '../../ui/text/keys.tsx'
import { actionsOf, type Command, type Link, pagesOf, ranked, scoreOf } from './commands.ts'
import { namesFrom, useNames } from './names.ts'
import { type PageAction, pageActions } from './page-actions.ts'
import { useJump } from './use-jump.ts'
import './palette.css'

interface PaletteProps {
  place: Place
  open: boolean
  onClose: () => void
  /** Available everywhere: the theme, the keyboard shortcuts, signing out. */
  always: readonly Command[]
}

export const Palette = ({ place, open, onClose, always }: PaletteProps) => (
  <Dialog title="Command palette" shape="palette" open={open} onClose={onClose}>
    <Content place={place} onClose={onClose} always={always} />
  </Dialog>
)

interface Section {
  title: string
  commands: Command[]
}

/** The most results of a section during a search. */
const shownMax = 8

function Content({ place, onClose, always }: Omit<PaletteProps, 'open'>) {
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [onPage] = useState(pageActions)
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const jump = useJump(place, text)
  const { names, loading } = useNames(place, text)
  const sections = useMemo(() => {
    const going = (link: Link): Command => ({ ...link, run: () => navigate(link.href) })
    return sectionsOf({ text, place, onPage, always, names, jump: jump.link, going })
  }, [text, place, onPage, always, names, jump.link, navigate])
  const commands = sections.flatMap(({ commands }) => commands)
  const active = commands[Math.min(chosen, commands.length - 1)]

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  })

  function take(command: Command | undefined) {
    if (!command) return
    // return the focus to the page first: the action may open a dialog
    flushSync(onClose)
    command.run()
  }
  function onKeyDown(event: KeyboardEvent) {
    const { length } = commands
    const to = {
      ArrowDown: (chosen + 1) % length,
      ArrowUp: (Math.min(chosen, length - 1) - 1 + length) % length,
      Home: event.ctrlKey ? 0 : undefined,
      End: event.ctrlKey ? length - 1 : undefined,
    }[event.key]
    if (event.key === 'Enter') take(active)
    else if (to !== undefined && length > 0) setChosen(to)
    else return
    event.preventDefault()
  }

  const looking = jump.looking || loading
  const spoken = commands.length === 1 ? '1 result' : `${commands.length} results`
  return (
    <div className="palette">
      <div className="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search, or paste an ID"
          placeholder="Search pages, names and actions, or paste an ID"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active && `${id}-${active.id}`}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" className="palette-close" onClick={onClose}>
          Close
        </button>
      </div>
      <div ref={list} id={`${id}-list`} className="palette-list" role="listbox" aria-label="Results">
        {sections.map(({ title, commands }) => (
          // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a group of options
          <div key={title} role="group" aria-label={title} className="palette-group">
            <div className="palette-group-title" aria-hidden="true">
              {title}
            </div>
            {commands.map((command) => (
              <Option
                key={command.id}
                id={`${id}-${command.id}`}
                command={command}
                selected={command === active}
                onPoint={() => setChosen(commandsBefore(sections, command))}
                onTake={() => take(command)}
              />
            ))}
          </div>
        ))}
      </div>
      <p className="palette-foot" role="status">
        {commands.length > 0 ? <span className="visually-hidden">{spoken}</span> : null}
        {commands.length === 0 && !looking && <span>{jump.missing ?? 'No results.'}</span>}
        {looking && <span>Searching…</span>}
        <span className="palette-hints" aria-hidden="true">
          <Keys keys={['↑', '↓']} /> choose <Keys keys={['↵']} /> go <Keys keys={['Esc']} /> close
        </span>
      </p>
    </div>
  )
}

const commandsBefore = (sections: readonly Section[], command: Command): number =>
  sections.flatMap(({ commands }) => commands).indexOf(command)

interface OptionProps {
  id: string
  command: Command
  selected: boolean
  onPoint: () => void
  onTake: () => void
}

const Option = ({ id, command: { title, icon, about, keys }, selected, onPoint, onTake }: OptionProps) => (
  // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
  <div
    id={id}
    role="option"
    aria-selected={selected}
    className="palette-option"
    onPointerMove={selected ? undefined : onPoint}
    onClick={onTake}
  >
    <Icon name={icon} />
    <span className="palette-title">{title}</span>
    {about && <span className="palette-about">{about}</span>}
    {keys && <Keys keys={keys} />}
  </div>
)

interface Offered {
  text: string
  place: Place
  onPage: readonly PageAction[]
  always: readonly Command[]
  names: readonly Link[]
  jump: Link | undefined
  going: (link: Link) => Command
}

/** The matching commands; of two with the same title the page's own button wins. */
function sectionsOf({ text, place, onPage, always, names, jump, going }: Offered): Section[] {
  const buttons = onPage.map(
    ({ title, run }): Command => ({ id: `button ${title}`, title, icon: 'bolt', also: 'this page', run }),
  )
  const taken = new Set(buttons.map(({ title }) => title))
  const sections: Section[] = [
    { title: 'On this page', commands: buttons },
    { title: 'Go to', commands: pagesOf(place).map(going) },
    { title: 'Names', commands: text.trim().length < namesFrom ? [] : names.map(going) },
    {
      title: 'Actions',
      commands: [
        ...actionsOf(place)
          .filter(({ title }) => !taken.has(title))
          .map(going),
        ...always,
      ],
    },
  ]
  const isSearching = text.trim() !== ''
  const found = sections
    .map(({ title, commands }) => ({ title, commands: ranked(commands, text) }))
    .filter(({ commands }) => commands.length > 0)
    .map(({ title, commands }) => ({ title, commands: isSearching ? commands.slice(0, shownMax) : commands }))
  const best = ({ commands: [first] }: Section) => (first ? scoreOf(first, text) : 0)
  if (isSearching) found.sort((one, other) => best(other) - best(one))
  return jump ? [{ title: 'ID', commands: [going(jump)] }, ...found] : found
}
