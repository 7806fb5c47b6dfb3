/** Keyboard shortcuts of every page, and whether those without a modifier are enabled. */
import { useSyncExternalStore } from 'react'

export interface Shortcut {
  keys: readonly string[]
  title: string
}

export const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** The name of the modifier key on this system. */
const modifier = isApple ? '⌘' : 'Ctrl'

export const paletteKeys = [modifier, 'K'] as const

/** The shortcuts besides those of the navigation. */
export const everywhere: readonly Shortcut[] = [
  { keys: paletteKeys, title: 'Open the command palette' },
  { keys: ['?'], title: 'Show keyboard shortcuts' },
  { keys: ['n'], title: "Press the page's main button, such as New" },
  { keys: ['j'], title: 'Next row of a table' },
  { keys: ['k'], title: 'Previous row of a table' },
  { keys: ['Enter'], title: 'Open the row' },
]

// WCAG 2.1.4: keys without a modifier can be turned off
const stored = 'troupe.single-keys'
const watchers = new Set<() => void>()

function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(stored) !== 'off'
  } catch {
    return true
  }
}

export function turnSingleKeys(on: boolean): void {
  try {
    localStorage.setItem(stored, on ? 'on' : 'off')
  } catch {
    // without storage they stay enabled
  }
  for (const changed of watchers) changed()
}

export const useSingleKeys = (): boolean =>
  useSyncExternalStore((changed) => {
    watchers.add(changed)
    return () => void watchers.delete(changed)
  }, areSingleKeysOn)

const takesText = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select'))

/** Whether a key was pressed without modifiers and outside fields and dialogs. */
export const isSingleKey = ({ ctrlKey, metaKey, altKey, target, defaultPrevented }: KeyboardEvent): boolean =>
  !ctrlKey &&
  !metaKey &&
  !altKey &&
  !defaultPrevented &&
  !takesText(target) &&
  areSingleKeysOn() &&
  document.querySelector('dialog[open]') === null

const rowLinks = 'main .row-link td:first-child a, main .run-row-about > a'

/** Moves the focus along the rows of the page's tables. */
export function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(rowLinks)]
  if (rows.length === 0) return
  // in a row that is reached otherwise, its link is where it begins
  const focused = document.activeElement
  const now = rows.findIndex((link) => link === focused || link.closest('.run-row')?.contains(focused))
  const next = now === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, now + step))
  rows[next]?.focus()
}
