/**
 * Sizes of the texts in a drawing. They are computed instead of measured, so that a layout needs no browser and is the
 * same everywhere; renderers use these sizes.
 */

/** The name of a state, in pixels: the font of the page, semi-bold. */
export const stateFont = 16
/** The title of a group. */
export const groupFont = 13
/** The text on a transition: the font for code. */
export const labelFont = 12
export const labelLineHeight = 16
/** Padding on each side of the text on a transition. */
export const labelPadding = 6
/** The clock before a deadline, with its gap. */
export const clockWidth = 16
/** The indent of a guard or an effect below its event. */
export const labelIndent = 8
/** The space above the states of a group. */
export const groupTitleHeight = 28
/** The dot of the initial state. */
export const initialSize = 12
/** The box of a state. */
export const stateHeight = 46

// no font in the code's font list is wider than 0.602 of its size
const labelCharacter = 0.605 * labelFont
// includes wide letters
const stateCharacter = 0.6 * stateFont

export const labelTextWidth = (text: string): number => text.length * labelCharacter
const groupCharacter = 0.6 * groupFont

export const groupTitleWidth = (name: string): number => name.length * groupCharacter
export const stateNameWidth = (name: string): number => name.length * stateCharacter
