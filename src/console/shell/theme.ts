/** Light or dark: as the system has it, unless the user has chosen. */
import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'troupe.theme'
const watchers = new Set<() => void>()
const isTheme = (value: unknown): value is Theme => themes.includes(value as Theme)

/** What the user has chosen; storage may be closed to us. */
export function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(key)
    return isTheme(stored) ? stored : 'system'
  } catch {
    return 'system'
  }
}

const systemIsDark = () => matchMedia('(prefers-color-scheme: dark)')

function applyTheme(): void {
  const chosen = chosenTheme()
  const dark = chosen === 'dark' || (chosen === 'system' && systemIsDark().matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  for (const changed of watchers) changed()
}

/** Before anything is drawn, and whenever the system changes. */
export function startTheme(): void {
  applyTheme()
  systemIsDark().addEventListener('change', applyTheme)
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(key, theme)
  } catch {
    document.documentElement.dataset.theme = theme
  }
  applyTheme()
}

const watch = (changed: () => void) => {
  watchers.add(changed)
  return () => void watchers.delete(changed)
}

export const useTheme = (): Theme => useSyncExternalStore(watch, chosenTheme)
