// Everything the page says, in the language of the browser.

const english = {
  lost: "No connection to the box. Trying again…",
  bank: "Levers",
  lever: (number) => `Lever ${number}`,
  dice: "Dice button",
  panel: "Display",
  mute: "Mute",
  unmute: "Sound on",
  help: "How to play",
  title: "How to play with one button",
  list: [
    ["Press", "Throw the dice, confirm, go on."],
    ["Hold 0.8 s", "Throw one die where the rules give the choice; open the menu; go back."],
    ["Flip levers", "Shut numbers that add up to your throw, then press to commit and throw again. Until then a lever can be put back."],
    ["Choose", "In a menu, flip lever 1, 2, 3 … and put it back to choose that item."],
    ["Something wrong?", "The display says which lever. Putting the levers right is all it takes."],
  ],
  keys: "Keyboard: 1–9, 0, - and = are levers 1 to 12; space or Enter is the dice button.",
};

const french = {
  lost: "Pas de connexion avec la boîte. Nouvel essai…",
  bank: "Leviers",
  lever: (number) => `Levier ${number}`,
  dice: "Bouton des dés",
  panel: "Écran",
  mute: "Couper le son",
  unmute: "Remettre le son",
  help: "Comment jouer",
  title: "Comment jouer avec un seul bouton",
  list: [
    ["Appuyer", "Lancer les dés, valider, continuer."],
    ["Tenir 0,8 s", "Lancer un seul dé quand la règle laisse le choix ; ouvrir le menu ; revenir."],
    ["Abattre", "Abattez des leviers dont la somme fait le lancer, puis appuyez pour valider et relancer. D’ici là, un levier se relève."],
    ["Choisir", "Dans un menu, abattez puis relevez le levier 1, 2, 3 … pour choisir cette ligne."],
    ["Une erreur ?", "L’écran dit quel levier. Il suffit de remettre les leviers en ordre."],
  ],
  keys: "Clavier : la rangée des chiffres, de 1 à = , donne les leviers 1 à 12 ; espace ou Entrée, le bouton des dés.",
};

export const texts = navigator.language.toLowerCase().startsWith("fr") ? french : english;
export const language = texts === french ? "fr" : "en";
