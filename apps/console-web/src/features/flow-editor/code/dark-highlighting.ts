import { HighlightStyle } from '@codemirror/language';
import { tags } from '@lezer/highlight';

/** Colours of code on a dark background, each with a contrast ratio of at least 4.5 (WCAG AA). */
export const darkHighlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: '#ff9db0' },
  { tag: [tags.string, tags.special(tags.string)], color: '#a5d6a7' },
  { tag: [tags.number, tags.bool, tags.null], color: '#ffcc80' },
  { tag: tags.comment, color: '#a0a7b0', fontStyle: 'italic' },
  {
    tag: [tags.propertyName, tags.definition(tags.variableName)],
    color: '#90caf9',
  },
  { tag: tags.function(tags.variableName), color: '#80deea' },
]);
